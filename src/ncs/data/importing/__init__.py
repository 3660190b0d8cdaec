"""Experience from elsewhere: folders of pictures, arrays, Minari, LeRobot become clips."""
