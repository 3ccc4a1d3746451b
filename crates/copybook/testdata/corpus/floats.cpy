       01  FLOATS.
           05  F1                        FLOAT-SHORT.
           05  F2                        FLOAT-LONG.
           05  F3                        USAGE FLOAT.
           05  F4                        USAGE DOUBLE.
           05  F5                        FLOAT-DECIMAL-16.
           05  F6                        FLOAT-DECIMAL-34.
           05  F7                        COMP-1 VALUE 1.5E3.
           05  F8                        COMP-2 VALUE -2.25.
