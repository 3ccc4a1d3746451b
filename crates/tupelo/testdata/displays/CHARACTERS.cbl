       IDENTIFICATION DIVISION.
       PROGRAM-ID. NUM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  A          PIC X(3) VALUE '1'.
       01  B          PIC X(5) VALUE ' 12'.
       01  C          PIC X(4) VALUE LOW-VALUES.
       01  D          PIC X(35) VALUE
           '9876 0000000000000000000000000001 3'.
       01  F          PIC X(5) VALUE '12.50'.
       01  EQ         PIC 9(3).
       01  LONGER     PIC 9(5).
       01  SHORTER    PIC 9(2).
       01  P          PIC S9(7) COMP-3.
       01  N          PIC S9(9) COMP.
       01  E          PIC Z(4)9.
       01  V          PIC 9(3)V99.
       PROCEDURE DIVISION.
       MAIN-PARA.
           MOVE A TO EQ
           DISPLAY 'SAME [' EQ ']'
           MOVE A TO LONGER
           DISPLAY 'LONGER ' LONGER
           MOVE A TO SHORTER
           DISPLAY 'SHORTER ' SHORTER
           MOVE A TO P
           DISPLAY 'PACKED ' P
           MOVE B TO N
           DISPLAY 'BINARY ' N
           MOVE B TO E
           DISPLAY 'EDITED ' E
           MOVE C TO N
           DISPLAY 'LOW-VALUES ' N
           MOVE D TO P
           DISPLAY 'LAST DIGITS ' P
           MOVE A TO V
           DISPLAY 'PLACES ' V
           MOVE F TO V
           DISPLAY 'NO DIGIT ' V
           GOBACK.
