       01  NATIONAL-TEXT.
           05  NT-1                      PIC N(10).
           05  NT-2                      PIC NN USAGE NATIONAL.
           05  NT-3                      PIC N(5) JUST.
           05  NT-4 NATIONAL.
               10  NT-5                  PIC N(3).
               10  NT-6                  PIC X(3).
           05  NT-7                      PIC X.
