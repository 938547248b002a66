def obstacle(rows):
    return (rows[:, 0] > 0).astype(int)
