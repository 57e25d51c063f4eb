"""C++ over ATen from promoted IR: `torch::autograd::Function`, operator by operator.

`module` makes a file of formulas; `function` the struct of one; `expressions` and `statements` print
equations, by the names of `vocabulary`; `runtime` holds the text of functions that ATen has no equal of.
"""
