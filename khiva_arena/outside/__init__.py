"""Games that do not come with the arena: what a user hands over, and the processes in which, and nowhere else, its code runs."""
