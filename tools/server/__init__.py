"""The language server: lint while one types, fixes and closures as actions, verdicts under the cursor."""
