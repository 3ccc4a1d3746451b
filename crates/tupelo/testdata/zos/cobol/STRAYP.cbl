      * A label of HANDLE CONDITION is reached again and again out of two
      * performed paragraphs; some sentences end with two periods.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. STRAYP.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  ROUNDS                  PIC 9(4) VALUE 0.
       01  THE-KEY                 PIC X(6) VALUE 'QQ'.
       01  THE-RECORD              PIC X(24).
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS HANDLE CONDITION NOTFND(NOT-THERE) END-EXEC
           .
       NEXT-ROUND.
           ADD 1 TO ROUNDS
           IF ROUNDS > 700
               DISPLAY 'ROUNDS ' ROUNDS
               EXEC CICS RETURN END-EXEC
           END-IF
           PERFORM OUTER
           GO TO NEXT-ROUND
           .
           .
       OUTER.
           PERFORM INNER
           .
           .
       INNER.
           EXEC CICS READ FILE('KS') INTO(THE-RECORD) RIDFLD(THE-KEY)
               END-EXEC
           .
           .
       NOT-THERE.
           GO TO NEXT-ROUND
           .
