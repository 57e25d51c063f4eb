"""What a computation has recorded, for a person to see: graphs, tapes and anomalies."""
