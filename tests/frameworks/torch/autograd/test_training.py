"""Networks of `torch.nn` train as with PyTorch's autograd."""

from __future__ import annotations

import pytest

import pullback as pb

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402 - where torch is

from pullback.torch import autograd  # noqa: E402 - where torch is


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 3, 3, padding=1), nn.Conv2d(3, 3, 3, padding=1)
        self.norm, self.last = nn.BatchNorm2d(3), nn.BatchNorm2d(3)

    def forward(self, x):
        y = torch.relu_(self.norm(self.first(x)))
        y = self.last(self.second(y))
        y += x
        return torch.relu(y)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 5, 2, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[0]


NETWORKS = {
    "ResNet block": (Block, (2, 3, 6, 6)),
    "transformer layer": (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (2, 5, 8)),
    "LSTM": (Recurrent, (3, 6, 4)),
}


def losses(make, shape):
    torch.manual_seed(0)
    network = make().double()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)
    data = torch.randn(shape, dtype=torch.float64)
    found = []
    for _ in range(10):
        optimizer.zero_grad()
        loss = (network(data) - 0.5).pow(2).mean()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


@pytest.mark.parametrize("name", NETWORKS)
def test_losses_are_those_of_pytorch(formulas, name):
    expected = losses(*NETWORKS[name])
    with autograd.record(formulas):
        found = losses(*NETWORKS[name])
    assert expected[-1] < expected[0]
    assert found == pytest.approx(expected, rel=1e-9)


REFUSED = {
    "backward": lambda y, x: torch.autograd.backward(y),
    "grad": lambda y, x: torch.autograd.grad(y, x, allow_unused=True),
    "outside of the block": lambda y, x: (y * 2).backward(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_backward_of_pytorch_is_refused(formulas, name):
    x = torch.ones(3, requires_grad=True)
    with autograd.record(formulas):
        y = x.exp().sum()
    with pytest.raises(pb.errors.NotDifferentiableError, match=r"pullback\.torch\.autograd"):
        REFUSED[name](y, x)
