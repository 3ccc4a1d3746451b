      * SET TASK PURGE of the task itself: it ends when it next waits.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SYS2.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TASK                     PIC S9(7) COMP-3.
       PROCEDURE DIVISION.
           MOVE EIBTASKN TO WS-TASK
           EXEC CICS SET TASK(WS-TASK) PURGE END-EXEC
      *    NORMAL, with the RESP2 of a purge that is deferred.
           IF EIBRESP2 NOT = 13
               EXEC CICS ABEND ABCODE('NO13') END-EXEC
           END-IF
           EXEC CICS ASKTIME END-EXEC
           EXEC CICS DELAY FOR SECONDS(1) END-EXEC
           EXEC CICS ABEND ABCODE('LATE') END-EXEC.
