"""The computer players, which choose moves from nothing but what their seat may see."""
