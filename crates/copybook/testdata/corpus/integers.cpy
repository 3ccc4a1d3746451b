       01  C-LIKE-INTEGERS.
           05  I1                        BINARY-CHAR.
           05  I2                        BINARY-CHAR UNSIGNED.
           05  I3                        USAGE BINARY-SHORT SIGNED.
           05  I4                        BINARY-LONG UNSIGNED.
           05  I5                        USAGE IS BINARY-DOUBLE.
           05  I6                        BINARY-C-LONG.
           05  I7                        SIGNED-SHORT.
           05  I8                        SIGNED-INT.
           05  I9                        SIGNED-LONG.
           05  I10                       UNSIGNED-SHORT.
           05  I11                       UNSIGNED-INT.
           05  I12                       UNSIGNED-LONG.
           05  I13                       HANDLE.
           05  I14                       PIC X.
