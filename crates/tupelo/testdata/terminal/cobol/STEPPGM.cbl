      *> Writes an item of a queue, reads it, and shows what it has read: a
      *> program to step through. Without a terminal it shows nothing.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. STEPPGM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  W-ITEM                       PIC X(8) VALUE 'FIRST'.
       01  W-ANSWER                     PIC X(8) VALUE 'NOTHING'.
       01  W-RESP                       PIC S9(8) COMP VALUE 0.
       01  W-SHOWN                      PIC ZZ9.
       01  W-OUT                        PIC X(40) VALUE SPACES.
       PROCEDURE DIVISION.
           EXEC CICS WRITEQ TS QUEUE('STEPQ') FROM(W-ITEM)
               RESP(W-RESP) END-EXEC
           EXEC CICS READQ TS QUEUE('STEPQ') INTO(W-ANSWER) ITEM(1)
               RESP(W-RESP) END-EXEC
           MOVE W-RESP TO W-SHOWN
           STRING 'RESP ' W-SHOWN ' ANSWER ' W-ANSWER
               DELIMITED BY SIZE INTO W-OUT
           EXEC CICS DELETEQ TS QUEUE('STEPQ') NOHANDLE END-EXEC
           IF EIBTRMID > SPACES
               EXEC CICS SEND TEXT FROM(W-OUT) ERASE FREEKB END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
