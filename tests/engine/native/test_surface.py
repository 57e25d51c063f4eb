"""C++ programs on the engine that needs no Python: what they print, and what they are linked to."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from .programs import compiled

pytestmark = [pytest.mark.native, pytest.mark.compiler]

PROGRAM = r"""
#include <pullback/pullback.h>

#include <cmath>
#include <cstdio>
#include <thread>

using namespace pullback;

namespace {

void check(const char* what, bool holds) { std::printf("%s %s\n", holds ? "ok" : "WRONG", what); }

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * (1.0 + std::abs(b)); }

bool near(const Tensor& x, const std::vector<double>& wanted) {
    const std::vector<double> values = x.values();
    bool all = values.size() == wanted.size();
    for (std::size_t i = 0; all && i < values.size(); ++i) all = near(values[i], wanted[i]);
    return all;
}

template <typename Body>
void fails(const char* with, Body&& body) {
    try {
        body();
        check(with, false);
    } catch (const Error& error) {
        check(with, std::string(error.what()).rfind(with, 0) == 0);
    }
}

void tensors() {
    const Tensor x({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, {2, 3});
    check("shape", x.shape() == Shape{2, 3} && x.ndim() == 2 && x.size() == 6);
    check("broadcasting", near(x + Tensor({10.0, 20.0}, {2, 1}), {11, 12, 13, 24, 25, 26}));
    check("a slice", near(getitem(x, Index{1, Slice{.start = 2, .step = -2}}), {6, 4}));
    check("a view in C order", near(contiguous(transpose(x)), {1, 4, 2, 5, 3, 6}));
    check("a sum over axes", near(sum(x, {0}, true), {5, 7, 9}) && near(mean(x, 1), {2, 5}));
    check("a product", near(matmul(x, transpose(x)), {14, 32, 32, 77}));
    check("float32", like(Tensor(std::vector<float>{1.0F}, {1}) * 2.0).dtype.bits == 32);
    check("memory", x.data<double>()[4] == 5.0);
    Tensor made = Tensor::empty(like(x));
    for (int i = 0; i < 6; ++i) made.data<double>()[i] = i;
    check("memory that is written", near(made, {0, 1, 2, 3, 4, 5}));
    const Tensor row = getitem(x, 0);
    check("a list", near(concatenate({row, row}, 0), {1, 2, 3, 1, 2, 3}));
}

void derivatives() {
    const Tensor x({0.5, -1.5}, {2}, true);
    const Tensor y = sum(sin(x) * exp(x));
    const Tensor first = gradients(y, {x}, {}, false, true)[0];
    const Tensor second = gradients(sum(first), {x}, {}, false, true)[0];
    const Tensor third = gradients(sum(second), {x})[0];
    std::vector<double> wanted[3];
    for (const double at : {0.5, -1.5}) {
        const double growth = std::exp(at), s = std::sin(at), c = std::cos(at);
        wanted[0].push_back(growth * (s + c));
        wanted[1].push_back(growth * 2.0 * c);
        wanted[2].push_back(growth * 2.0 * (c - s));
    }
    check("a first derivative", near(first, wanted[0]));
    check("a second derivative", near(second, wanted[1]));
    check("a third derivative", near(third, wanted[2]));

    const Tensor w({1.0, 2.0, 3.0, 4.0}, {2, 2}, true);
    sum(w * w).backward();
    sum(w).backward();
    check("leaves add up", near(w.grad(), {3, 5, 7, 9}));
    w.step(0.5);
    check("a step", near(w, {-0.5, -0.5, -0.5, -0.5}) && !w.grad());
    const Tensor b({1.0, 2.0}, {2}, true);
    check("a broadcast operand", near(gradients(sum(w * b), {b})[0], {-1, -1}));
    check("a seed", near(gradients(b * b, {b}, Tensor({1.0, 10.0}, {2}))[0], {2, 40}));
    const Tensor middle = b * b;
    check("an input that is no leaf", near(gradients(sum(middle * b), {middle})[0], {1, 2}));
    const NoGrad none;
    check("nothing is recorded", !(b * b).requires_grad());
}

// Small operators one after the other: nodes that a gradient passes through at once.
void chains() {
    const Tensor x({0.5, -1.5}, {2}, true), two({2.0, 2.0}, {2}), seed({1.0, 10.0}, {2});
    const Tensor middle = two - exp(two * x) / two;
    const Tensor y = -sin(middle + two) * 3.0;
    const Tensor z = y * y + y;  // two ways to one node
    std::vector<double> wanted, halfway;
    for (const double at : {0.5, -1.5}) {
        const double growth = std::exp(2.0 * at), inside = 4.0 - growth / 2.0;
        const double weight = at > 0 ? 1.0 : 10.0;
        halfway.push_back(weight * (-6.0 * std::sin(inside) + 1.0) * -3.0 * std::cos(inside));
        wanted.push_back(halfway.back() * -growth);
    }
    const Tensors both = gradients(z, {x, middle}, seed, true);
    check("through a chain", near(both[0], wanted));
    check("a value in its middle", near(both[1], halfway));
    check("the seed stays", near(seed, {1, 10}));
    const Tensor again = gradients(z, {x}, seed, true)[0];
    gradients(z, {x}, two);
    check("what was given out stays", near(both[0], wanted) && near(again, wanted));
    fails("GraphFreedError", [&] { gradients(z, {x}, seed); });
    const Tensor first = gradients(x * two * x, {x}, seed, false, true)[0];
    check("a chain of gradients", near(gradients(first, {x}, two)[0], {8, 80}));

    const Tensor w({1.0, 1.0}, {2}, true);
    sum(w).backward();
    const Tensor scaled = x * w.detach() * two;
    w.step(0.5);
    fails("SavedVariableError", [&] { scaled.backward(seed); });
}

// A graph may be one thread's now, and another's later.
void threads() {
    Tensor x, y;
    std::thread([&] {
        x = Tensor({3.0, 4.0}, {2}, true);
        y = x;
        for (int i = 0; i < 1000; ++i) y = y * Tensor({1.0, 1.0}, {2});
        gradients(y, {x}, y, true);
    }).join();
    const Tensor z = y * y + x;
    check("a graph from another thread", near(gradients(sum(z), {x})[0], {7, 9}));

    std::vector<double> found(4);
    std::vector<std::thread> running;
    for (double& place : found) {
        running.emplace_back([&place] {
            for (int round = 0; round < 100; ++round) {
                const Tensor own({2.0}, {1}, true);
                Tensor power = own;
                for (int i = 0; i < 20; ++i) power = power * own;
                place = gradients(power, {own})[0].item();
            }
        });
    }
    for (std::thread& one : running) one.join();
    check("graphs of several threads", found == std::vector<double>(4, 21.0 * (1 << 20)));
}

void long_chain() {
    const Tensor x({1.0}, {}, true);
    Tensor y = x;
    for (int i = 0; i < 1000000; ++i) y = y + 1.0;
    check("a million nodes", near(gradients(y, {x})[0], {1}));
}

void errors() {
    const Tensor x({1.0, 2.0, 3.0}, {3}, true);
    const Tensor y = x * x;
    fails("KeyError: there is no word nonesuch", [] { OperatorInfo("nonesuch"); });
    fails("RuntimeError: operator inv needs Python", [&] { linalg(x); });
    fails("GradientShapeError: an output of shape (3,) needs", [&] { y.backward(); });
    fails("NotDifferentiableError", [&] { x.detach().backward(); });
    fails("UnusedInputError", [&] { gradients(sum(y), {Tensor({1.0}, {1}, true)}); });
    fails("ValueError", [&] { x + Tensor({1.0, 2.0}, {2}); });
    fails("ValueError", [&] { reshape(x, {2, 2}); });
    fails("IndexError", [&] { getitem(x, 3); });
    fails("TypeError", [&] { exp(Tensor()); });
    fails("ValueError", [] { Tensor({1.0}, {2}); });
    fails("NotDifferentiableError", [] { Tensor(std::vector<std::int64_t>{1}, {1}, true); });
    sum(y).backward();
    fails("GraphFreedError", [&] { sum(y).backward(); });
    const Tensor z = sum(x * x);
    x.step(0.1);
    fails("SavedVariableError: a value of shape (3,)", [&] { z.backward(); });
}

}  // namespace

int main() {
    tensors();
    derivatives();
    chains();
    threads();
    long_chain();
    errors();
    return 0;
}
""".replace("linalg(x)", "inv(x)")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("surface"), PROGRAM)


def test_tensors_derivatives_and_errors(program: Path):
    said = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    assert len(lines) == 42
    assert [line for line in lines if not line.startswith("ok ")] == []


def test_no_python_is_near(program: Path):
    linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    assert "libpython" not in linked
    nowhere = {**os.environ, "PATH": "/nowhere", "PYTHONHOME": "/nowhere", "PYTHONPATH": "/nowhere"}
    assert subprocess.run([program], env=nowhere, capture_output=True, timeout=60).returncode == 0
