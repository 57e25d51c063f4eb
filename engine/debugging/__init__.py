"""Views of a recorded computation for people: graphs, tapes and anomalies."""
