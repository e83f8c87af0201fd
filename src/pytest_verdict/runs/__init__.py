"""Several runs: two of them compared, with the cause of each verdict that changed; and the parts of one put together."""
