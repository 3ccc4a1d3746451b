      * Tables that are described twice, searches, parts of items,
      * strings, and abbreviated conditions.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TABREF.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 GT.
          05 G1 OCCURS 3.
             10 A PIC X(2).
             10 B REDEFINES A PIC 99.
             10 C PIC 9(2) COMP.
       01 TX REDEFINES GT.
          05 X OCCURS 12 PIC X.
       01 SRCH.
          05 E OCCURS 5 ASCENDING KEY K INDEXED BY I J.
             10 K PIC 9(2).
             10 V PIC X(3).
       01 N PIC 9(2).
       01 S PIC X(10) VALUE 'ABCDEFGHIJ'.
       01 P PIC 9(2) VALUE 3.
       01 BZ PIC 9(3) BLANK WHEN ZERO.
       01 JR PIC X(5) JUST RIGHT.
       01 SG PIC S9(3) SIGN TRAILING SEPARATE VALUE -7.
       01 OV PIC X(3).
       01 U1 PIC X(5). 01 U2 PIC X(5). 01 U3 PIC X(5).
       01 UC PIC 9(2). 01 PT PIC 9(2) VALUE 1.
       PROCEDURE DIVISION.
           MOVE '01' TO A(1) MOVE 2 TO B(2) MOVE '3 ' TO A(3)
           MOVE 5 TO C(1) C(2) C(3)
           ADD 1 TO B(1) DISPLAY A(1) A(2) A(3)
           MOVE '0102030405' TO S
           PERFORM VARYING I FROM 1 BY 1 UNTIL I > 5
             SET N TO I MOVE N TO K(I) MOVE 'V' TO V(I)
           END-PERFORM
           SEARCH ALL E WHEN K(I) = 4 SET N TO I DISPLAY 'FOUND ' N
           END-SEARCH
           SET J TO 1
           SEARCH E VARYING J AT END DISPLAY 'NONE'
             WHEN K(J) = 3 SET N TO J DISPLAY 'AT ' N END-SEARCH
           MOVE 'ABCDEFGHIJ' TO S
           MOVE S(P:2) TO OV DISPLAY OV '|' S(P + 1:P)
           MOVE 0 TO BZ DISPLAY '[' BZ ']'
           MOVE 'ab' TO JR DISPLAY '[' JR ']'
           DISPLAY SG
           UNSTRING 'a,b;;c' DELIMITED BY ',' OR ALL ';'
             INTO U1 U2 U3 TALLYING IN UC
           DISPLAY U1 U2 U3 UC
           STRING 'x' 'yz' DELIMITED BY SIZE INTO S WITH POINTER PT
           DISPLAY S PT
           INSPECT S REPLACING ALL 'x' BY 'q' FIRST 'D' BY 'd'
           INSPECT S CONVERTING 'EFG' TO 'efg'
           DISPLAY S
           EVALUATE TRUE ALSO P WHEN P > 2 ALSO 1 THRU 5 DISPLAY 'E1'
             WHEN OTHER DISPLAY 'E2' END-EVALUATE
           EVALUATE P WHEN 1 WHEN 3 DISPLAY '1 OR 3' END-EVALUATE
           MOVE ALL 'ab' TO S DISPLAY S
           IF S > LOW-VALUES AND S < HIGH-VALUES DISPLAY 'HL' END-IF
           IF P = 1 OR 3 DISPLAY 'ABBR' END-IF
           IF NOT P = 1 AND 2 DISPLAY 'ABBR2' END-IF
           PERFORM VARYING P FROM 1 BY 1 UNTIL P > 2
             AFTER N FROM 5 BY -2 UNTIL N < 2
             DISPLAY P N END-PERFORM
           GOBACK.
