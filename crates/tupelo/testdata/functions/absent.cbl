       IDENTIFICATION DIVISION.
       PROGRAM-ID. ABSENT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  N                       PIC 9(4).
       01  X                       PIC X(40).
      * Text is in one code page here.
       PROCEDURE DIVISION.
           COMPUTE N = FUNCTION ULENGTH(X)
           MOVE FUNCTION NATIONAL-OF(X) TO X
           MOVE FUNCTION UUID4 TO X
           GOBACK.
