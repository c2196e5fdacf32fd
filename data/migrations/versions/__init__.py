"""The steps, one file each; a released one is never changed."""
