"""Pictures: the faces of the cards and the table at the end of a game. Pure drawing, it knows nothing of Discord."""
