"""Helpers of the rules for forward mode: tangents of results, by the tangents of inputs."""
