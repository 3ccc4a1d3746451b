      * Linked to without a COMMAREA.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. NCASUB.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  STEPS PIC X(40) VALUE SPACES.
       01  N PIC S9(4) COMP VALUE 0.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-STEP PIC X.
               88  CA-FIRST VALUE '1'.
           05  CA-DATA PIC X(20).
       PROCEDURE DIVISION.
       MAIN-PARA.
           IF EIBCALEN > 0 AND CA-STEP = '1' GO TO WRONG.
           IF EIBCALEN = 0 OR CA-FIRST MOVE 'IF' TO STEPS (1:2)
           ELSE IF EIBCALEN > 5
                AND CA-DATA = 'X' GO TO WRONG.
           EVALUATE TRUE
               WHEN EIBCALEN = 0 MOVE 'EVALUATE' TO STEPS (4:8)
               WHEN CA-FIRST     GO TO WRONG
               WHEN CA-STEP = '2' MOVE CA-DATA TO STEPS
           END-EVALUATE.
           EVALUATE EIBCALEN ALSO CA-STEP
               WHEN 0 ALSO ANY  MOVE 'ALSO' TO STEPS (13:4)
               WHEN 1 ALSO '1'  GO TO WRONG
           END-EVALUATE.
           PERFORM UNTIL N = EIBCALEN OR CA-FIRST
               ADD 1 TO N
           END-PERFORM.
           PERFORM COUNT-UP VARYING N FROM 1 BY 1
               UNTIL N > 3 OR (N < 0 AND CA-STEP = '3').
           MOVE 'PERFORM' TO STEPS (18:7).
           GO TO DONE.
       WRONG.
           MOVE 'WRONG' TO STEPS.
       DONE.
           EXEC CICS WRITEQ TS QUEUE('NCAQ') FROM(STEPS) END-EXEC.
           EXEC CICS RETURN END-EXEC.
       COUNT-UP.
           CONTINUE.
