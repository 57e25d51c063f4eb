"""Python formulas written back as entries of PyTorch's table of derivatives.

`folder` reads a folder of formulas and gives the text of the table; `operators` pairs the functions of each
operator; `folding` makes one expression of a function's statements; `entry` makes an entry of them; `rules/`
write Python expressions as C++, a family per file, each the inverse of the file of that name under
`tools/aten/rules`.
"""
