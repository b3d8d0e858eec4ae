"""The server under the pages: who may ask, how uploads arrive, how it ends."""
