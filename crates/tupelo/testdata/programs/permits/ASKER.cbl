
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ASKER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP PIC S9(8) COMP VALUE 0.
       01  WS-RESP2 PIC S9(8) COMP VALUE 0.
       01  WS-KEY PIC X(8) VALUE '10000001'.
       01  WS-REC PIC X(80).
       01  WS-NEW PIC X(80) VALUE '39999991'.
       01  WS-LEN PIC S9(4) COMP VALUE 80.
       01  V-ENABLED PIC S9(8) COMP.
       01  V-OPEN PIC S9(8) COMP.
       01  V-ADD PIC S9(8) COMP.
       01  V-BROWSE PIC S9(8) COMP.
       01  V-DELETE PIC S9(8) COMP.
       01  V-READ PIC S9(8) COMP.
       01  V-UPDATE PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-COMMAND PIC X(10).
           05  CA-SWITCHES.
               10  CA-ENABLED PIC X.
               10  CA-OPEN PIC X.
               10  CA-ADD PIC X.
               10  CA-BROWSE PIC X.
               10  CA-DELETE PIC X.
               10  CA-READ PIC X.
               10  CA-UPDATE PIC X.
           05  CA-RESP PIC 9(4).
           05  CA-RESP2 PIC 9(4).
       PROCEDURE DIVISION.
           EVALUATE CA-COMMAND
               WHEN 'REWRITE' WHEN 'DELETEHELD'
                   EXEC CICS READ FILE('ACCTFILE') INTO(WS-REC)
                       LENGTH(WS-LEN) RIDFLD(WS-KEY) UPDATE END-EXEC
               WHEN 'READNEXT' WHEN 'ENDBR'
                   EXEC CICS STARTBR FILE('ACCTFILE') RIDFLD(WS-KEY)
                       END-EXEC
           END-EVALUATE
           PERFORM SET-SWITCHES
           EVALUATE CA-COMMAND
               WHEN 'READ'
                   EXEC CICS READ FILE('ACCTFILE') INTO(WS-REC)
                       LENGTH(WS-LEN) RIDFLD(WS-KEY)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'READUPD'
                   EXEC CICS READ FILE('ACCTFILE') INTO(WS-REC)
                       LENGTH(WS-LEN) RIDFLD(WS-KEY) UPDATE
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'WRITE'
                   MOVE '39999991' TO WS-KEY
                   EXEC CICS WRITE FILE('ACCTFILE') FROM(WS-NEW)
                       RIDFLD(WS-KEY)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'DELETE'
                   EXEC CICS DELETE FILE('ACCTFILE') RIDFLD(WS-KEY)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'STARTBR'
                   EXEC CICS STARTBR FILE('ACCTFILE') RIDFLD(WS-KEY)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'UNLOCK'
                   EXEC CICS UNLOCK FILE('ACCTFILE')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'REWRITE'
                   EXEC CICS REWRITE FILE('ACCTFILE') FROM(WS-REC)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'DELETEHELD'
                   EXEC CICS DELETE FILE('ACCTFILE')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'READNEXT'
                   EXEC CICS READNEXT FILE('ACCTFILE') INTO(WS-REC)
                       LENGTH(WS-LEN) RIDFLD(WS-KEY)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'ENDBR'
                   EXEC CICS ENDBR FILE('ACCTFILE')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           END-EVALUATE
           MOVE WS-RESP TO CA-RESP
           MOVE WS-RESP2 TO CA-RESP2
           EXEC CICS RETURN END-EXEC.
       SET-SWITCHES.
           MOVE DFHVALUE(DISABLED) TO V-ENABLED
           IF CA-ENABLED = '1'
               MOVE DFHVALUE(ENABLED) TO V-ENABLED
           END-IF
           MOVE DFHVALUE(CLOSED) TO V-OPEN
           IF CA-OPEN = '1'
               MOVE DFHVALUE(OPEN) TO V-OPEN
           END-IF
           MOVE DFHVALUE(NOTADDABLE) TO V-ADD
           IF CA-ADD = '1'
               MOVE DFHVALUE(ADDABLE) TO V-ADD
           END-IF
           MOVE DFHVALUE(NOTBROWSABLE) TO V-BROWSE
           IF CA-BROWSE = '1'
               MOVE DFHVALUE(BROWSABLE) TO V-BROWSE
           END-IF
           MOVE DFHVALUE(NOTDELETABLE) TO V-DELETE
           IF CA-DELETE = '1'
               MOVE DFHVALUE(DELETABLE) TO V-DELETE
           END-IF
           MOVE DFHVALUE(NOTREADABLE) TO V-READ
           IF CA-READ = '1'
               MOVE DFHVALUE(READABLE) TO V-READ
           END-IF
           MOVE DFHVALUE(NOTUPDATABLE) TO V-UPDATE
           IF CA-UPDATE = '1'
               MOVE DFHVALUE(UPDATABLE) TO V-UPDATE
           END-IF
           EXEC CICS SET FILE('ACCTFILE') DISABLED CLOSED END-EXEC
           EXEC CICS SET FILE('ACCTFILE') ADD(V-ADD) BROWSE(V-BROWSE)
               DELETE(V-DELETE) READ(V-READ) UPDATE(V-UPDATE) END-EXEC
           EXEC CICS SET FILE('ACCTFILE') ENABLESTATUS(V-ENABLED)
               OPENSTATUS(V-OPEN) END-EXEC.
