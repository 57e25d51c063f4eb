"""The class of tensors, its methods and how it prints."""
