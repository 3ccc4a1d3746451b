      * Signed zoned numbers of z/OS that statements read as characters:
      * the digits count, and a number that is only read stays as it is.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ASCHAR.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 A PIC S9(4).
       01 AX REDEFINES A PIC X(4).
       01 B PIC S9(4) SIGN LEADING.
       01 BX REDEFINES B PIC X(4).
       01 C PIC S9(4) SIGN TRAILING SEPARATE.
       01 CX REDEFINES C PIC X(5).
       01 X PIC X(6).
       01 R PIC X(6) JUSTIFIED RIGHT.
       01 S PIC XX/XX.
       01 G.
          05 G1 PIC X(6).
       01 T PIC 9(2).
       PROCEDURE DIVISION.
           PERFORM RESET-ITEMS
           MOVE A TO X DISPLAY 'MOVE ' X AX
           MOVE B TO X DISPLAY 'MOVE ' X BX
           MOVE C TO X DISPLAY 'MOVE ' X CX
           MOVE A TO R DISPLAY 'RIGHT ' R AX
           MOVE A TO S DISPLAY 'EDITED ' S AX
           MOVE A TO G DISPLAY 'GROUP ' G AX
           IF A = '0123' DISPLAY 'EQUAL' END-IF
           MOVE '0123' TO X
           IF X = A DISPLAY 'EQUAL ' AX END-IF
           IF B = '1234' DISPLAY 'EQUAL ' BX END-IF
           MOVE ZERO TO T
           INSPECT A TALLYING T FOR ALL '3'
           IF A = 123 DISPLAY 'TALLYING ' T END-IF
           INSPECT A REPLACING ALL '3' BY '4'
           IF A = 124 DISPLAY 'REPLACING' END-IF
           PERFORM RESET-ITEMS
           INSPECT B CONVERTING '1234' TO '5678'
           IF B = -5678 DISPLAY 'CONVERTING' END-IF
           PERFORM RESET-ITEMS
           MOVE SPACES TO X
           STRING A DELIMITED BY SIZE INTO X DISPLAY 'STRING ' X
           MOVE '0127' TO AX
           MOVE A TO X
           IF A > 5 AND A = '0127' AND A NUMERIC
             COMPUTE T = A - 100
             DISPLAY 'DIGITS ' AX ' ' T
           END-IF
           MOVE '12 %' TO AX
           MOVE A TO X DISPLAY 'INVALID ' AX
           IF X = 'ABC' OR A = 'ABC' DISPLAY 'NO' END-IF
           DISPLAY 'INVALID ' AX
           MOVE '12  ' TO AX
           INSPECT A REPLACING ALL SPACES BY ZEROS
           IF A = 1200 DISPLAY 'BLANKS' END-IF
           GOBACK.
       RESET-ITEMS.
           MOVE '012C' TO AX
           MOVE 'J234' TO BX
           MOVE '0123-' TO CX.
