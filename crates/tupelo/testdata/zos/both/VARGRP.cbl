      * A group that contains the counter of its table receives its
      * greatest length; others receive the length of the moment.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. VARGRP.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 TEXT-IN PIC X(30) VALUE '05AAAABBBBCCCCDDDDEEEEFFFF'.
       01 REC.
          05 CNT PIC 99 VALUE 1.
          05 TB OCCURS 0 TO 5 DEPENDING ON CNT PIC X(4).
       01 REC2.
          05 CNT2 PIC S9(4) COMP VALUE 0.
          05 TB2 OCCURS 0 TO 3 DEPENDING ON CNT2 PIC X(4).
       01 REC3.
          05 CNT3 PIC S9(4) COMP VALUE 3.
          05 TB3 PIC X(12) VALUE '111122223333'.
       01 MOVING.
          05 GRP.
             10 CNT4 PIC 99 VALUE 1.
             10 TB4 OCCURS 0 TO 5 DEPENDING ON CNT4 PIC X(4).
          05 FOLLOWING PIC X(2) VALUE 'zz'.
       01 OUTSIDE PIC 99 VALUE 1.
       01 TABLE-ALONE.
          05 TB5 OCCURS 0 TO 5 DEPENDING ON OUTSIDE PIC X(4).
       PROCEDURE DIVISION.
           MOVE TEXT-IN TO REC
           DISPLAY CNT '[' REC ']'
           MOVE '02XXXXYYYYZZZZ' TO REC
           DISPLAY CNT '[' REC ']'
           MOVE 5 TO CNT
           DISPLAY '[' REC ']'
           MOVE REC3 TO REC2
           DISPLAY '[' TB2(1) TB2(2) TB2(3) ']'
           MOVE 0 TO CNT2
           IF CNT = 5 MOVE REC3 TO REC2 ELSE MOVE SPACES TO REC2.
           DISPLAY '[' TB2(3) ']'
           MOVE TEXT-IN TO GRP
           DISPLAY CNT4 '[' TB4(1) ']'
           MOVE 'AAAABBBB' TO TABLE-ALONE
           MOVE 2 TO OUTSIDE MOVE SPACES TO TB5(2)
           DISPLAY '[' TABLE-ALONE ']'
           GOBACK.
