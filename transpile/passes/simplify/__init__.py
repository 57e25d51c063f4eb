"""Smaller equations with the same meaning."""
