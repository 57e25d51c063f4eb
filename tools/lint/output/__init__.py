"""Output formats of findings: annotations, SARIF and HTML."""
