"""Pictures: the faces of the cards, the table, its end, a game as a film. Pure drawing without Discord."""
