       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-KEY                      PIC X(8).
       01  WS-RECORD                   PIC X(80).
       LINKAGE SECTION.
       01  DFHCOMMAREA                 PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE HELLO-NAME (3:8) TO WS-KEY
           EVALUATE HELLO-NAME (1:1)
               WHEN 'p'
                   EXEC CICS START TRANSID('NOTE') AFTER SECONDS(1)
                       FROM(WS-KEY) PROTECT NOHANDLE END-EXEC
               WHEN 'u'
                   EXEC CICS START TRANSID('NOTE') AFTER SECONDS(1)
                       FROM(WS-KEY) NOHANDLE END-EXEC
               WHEN 'n'
                   EXEC CICS START TRANSID('NOTE')
                       FROM(WS-KEY) PROTECT NOHANDLE END-EXEC
               WHEN 'm'
                   EXEC CICS READ FILE('MARKS') INTO(WS-RECORD)
                       RIDFLD(WS-KEY) NOHANDLE END-EXEC
               WHEN OTHER
                   EXEC CICS READ FILE('NOTES') INTO(WS-RECORD)
                       RIDFLD(WS-KEY) NOHANDLE END-EXEC
           END-EVALUATE
           MOVE EIBRESP TO HELLO-TASK
           MOVE WS-RECORD (9:7) TO HELLO-GREETING
           EXEC CICS RETURN END-EXEC.
