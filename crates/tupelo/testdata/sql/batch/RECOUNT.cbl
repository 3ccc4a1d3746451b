      * Adds ten to each item and commits, adds ten more and rolls back.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. RECOUNT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-ROWS                     PIC 9(4).
       PROCEDURE DIVISION.
           EXEC SQL UPDATE STOCK SET COUNTED = COUNTED + 10 END-EXEC
           MOVE SQLERRD(3) TO WS-ROWS
           DISPLAY 'CHANGED ' WS-ROWS
           EXEC SQL COMMIT END-EXEC
           EXEC SQL UPDATE STOCK SET COUNTED = COUNTED + 10 END-EXEC
           EXEC SQL ROLLBACK END-EXEC
           IF SQLCODE NOT = 0
               MOVE 8 TO RETURN-CODE
           END-IF
           STOP RUN.
