"""One file a verb: load, decide, store, say."""
