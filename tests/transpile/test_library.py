"""The package's formulas, each read when it is asked for."""

import re

from pullback.transpile.frontend.names.folder import FormulaFolder, package_formulas
from pullback.transpile.frontend.names.outline import formula_folder
from pullback.transpile.library import Folder, standard_library


def test_every_public_function_of_the_folder_is_a_formula_that_can_be_read_or_a_composite():
    library = standard_library()
    texts = [path.read_text(encoding="utf-8") for path in sorted(formula_folder().glob("*.py"))]
    functions = [name for text in texts for name in re.findall(r"^def ([a-z]\w*)", text, re.MULTILINE)]
    written = re.compile(r"^@pb\.composite\((np|pb|primitives|special)\.([\w.]+)\)\ndef (\w+)", re.MULTILINE)
    modules = {
        "np": "numpy",
        "pb": "pullback",
        "primitives": "pullback.primitives",
        "special": "scipy.special",
    }
    pairs = [
        (package_formulas().composite(f"{modules[found[1]]}.{found[2]}"), found[3])
        for text in texts
        for found in written.finditer(text)
    ]
    composites = [name for made, name in pairs if made is not None and made.node.name == name]
    assert {"diff", "split", "linalg_cross"} <= set(composites)
    assert list(library.names()) == [name for name in functions if name not in composites]
    assert [name for name in library.names() if library.formula(name).name != name] == []


def test_only_what_is_asked_for_is_read(tmp_path):
    lines = ["import numpy as np", "import pullback as pb"]
    for name in ("sin", "cos"):
        lines += [f"@pb.formula(np.{name})", f"def {name}(x):", "    return x + x, lambda grad: grad + grad"]
    (tmp_path / "waves.py").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "broken.py").write_text("def sin(:", encoding="utf-8")
    library = Folder(FormulaFolder(tmp_path))
    assert library.formula("cos").name == "cos"
    assert library.formula("cos") is library.formula("cos")
    assert library.formula("tanh") is None
    assert library.formula("lines") is None
