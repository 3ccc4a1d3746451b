      * Records whose tables vary, within one another and with an item
      * behind them; descriptions of the same storage; conditions with
      * ranges and several values.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. VARREC.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 BUF PIC X(60).
       01 REC.
          05 N1 PIC 9.
          05 N2 PIC 9.
          05 O1 OCCURS 1 TO 3 DEPENDING ON N1.
             10 A PIC X(2).
             10 O2 OCCURS 1 TO 3 DEPENDING ON N2.
                15 B PIC X.
          05 TL PIC X(3).
       01 REC2.
          05 M PIC 9(2) COMP.
          05 T OCCURS 0 TO 9 DEPENDING ON M PIC X(3).
       01 L PIC 9(4).
       01 GRP VALUE 'ABCDEFGH'.
          05 G1 PIC X(8).
          05 G2 REDEFINES G1.
             10 G2A PIC X(4).
             10 G2B REDEFINES G2A PIC 9(4).
             10 G2C OCCURS 2 PIC XX.
          05 G3 REDEFINES G1 PIC X(2) OCCURS 4.
       01 CODES PIC 99.
          88 LOW-ONE VALUES 1 THRU 9.
          88 TENS VALUES 10 20 30 THRU 39.
          88 NONE-C VALUE ZERO.
       01 STAT PIC X(2).
          88 ST-OK VALUES '00' '02'.
          88 ST-BAD VALUES '10' THRU '99'.
          88 ST-SP VALUE SPACES.
       PROCEDURE DIVISION.
           MOVE 2 TO N1 MOVE 3 TO N2
           MOVE 'a1' TO A(1) MOVE 'a2' TO A(2)
           MOVE 'x' TO B(1 1) MOVE 'y' TO B(1 2) MOVE 'z' TO B(1 3)
           MOVE 'p' TO B(2 1) MOVE 'q' TO B(2 2) MOVE 'r' TO B(2 3)
           MOVE 'END' TO TL
           MOVE LENGTH OF REC TO L DISPLAY 'LEN ' L
           DISPLAY REC '|'
           MOVE REC TO BUF DISPLAY BUF '|'
           COMPUTE L = FUNCTION LENGTH(REC) DISPLAY 'FLEN ' L
           MOVE 1 TO N2 DISPLAY REC '|'
           MOVE LENGTH OF REC TO L DISPLAY 'LEN ' L
           MOVE '13abcdeXYZ' TO REC DISPLAY TL '|' A(1) '|' B(1 3)
           MOVE 3 TO M MOVE 'abcdefghi' TO BUF
           MOVE 'abc' TO T(1) MOVE 'def' TO T(2) MOVE 'ghi' TO T(3)
           MOVE LENGTH OF REC2 TO L DISPLAY 'L2 ' L
           MOVE 0 TO M MOVE LENGTH OF REC2 TO L DISPLAY 'L2 ' L
           DISPLAY G2C(1) G2C(2) G3(4) G2A
           MOVE 10 TO CODES IF TENS DISPLAY 'TENS' END-IF
           MOVE 35 TO CODES IF TENS DISPLAY 'TENS' END-IF
           MOVE 40 TO CODES IF NOT TENS DISPLAY 'NOT TENS' END-IF
           MOVE 0 TO CODES IF NONE-C AND NOT LOW-ONE DISPLAY 'N' END-IF
           SET LOW-ONE TO TRUE DISPLAY CODES
           SET TENS TO TRUE DISPLAY CODES
           SET ST-OK TO TRUE DISPLAY STAT
           MOVE '23' TO STAT IF ST-BAD DISPLAY 'BAD' END-IF
           MOVE SPACES TO STAT IF ST-SP AND NOT ST-BAD DISPLAY 'SP'.
           EVALUATE TRUE WHEN ST-OK DISPLAY '1' WHEN ST-SP DISPLAY '2'
           END-EVALUATE
           GOBACK.
