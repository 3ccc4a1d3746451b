       01  EVERY-USAGE.
           05  U-DISPLAY                 PIC 9(5) USAGE DISPLAY.
           05  U-COMP                    PIC S9(4) USAGE IS COMP.
           05  U-COMPUTATIONAL           PIC S9(5) COMPUTATIONAL.
           05  U-BINARY                  PIC 9(9) BINARY.
           05  U-COMP-4                  PIC 9(10) COMP-4.
           05  U-COMPUTATIONAL-4         PIC S9(18) COMPUTATIONAL-4.
           05  U-COMP-5                  PIC S9(4) COMP-5.
           05  U-COMPUTATIONAL-5         PIC S9(9) COMPUTATIONAL-5.
           05  U-COMP-5-ONE              PIC 9 COMP-5.
           05  U-COMP-5-LONG             PIC 9(18) COMP-5.
           05  U-COMP-1                  COMP-1.
           05  U-COMPUTATIONAL-1         USAGE COMPUTATIONAL-1.
           05  U-COMP-2                  COMP-2.
           05  U-COMPUTATIONAL-2         USAGE IS COMPUTATIONAL-2.
           05  U-COMP-3                  PIC S9(5) COMP-3.
           05  U-COMPUTATIONAL-3         PIC 9(6) COMPUTATIONAL-3.
           05  U-PACKED                  PIC S9(7)V99 PACKED-DECIMAL.
           05  U-COMP-6                  PIC 9(5) COMP-6.
           05  U-COMPUTATIONAL-6         PIC 9(6) COMPUTATIONAL-6.
           05  U-INDEX                   USAGE INDEX.
           05  U-POINTER                 USAGE POINTER.
           05  U-PROCEDURE-POINTER       PROCEDURE-POINTER.
           05  U-PROGRAM-POINTER         PROGRAM-POINTER.
           05  U-NATIONAL                PIC N(4) NATIONAL.
           05  U-END                     PIC X.
