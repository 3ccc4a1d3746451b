      * Uses NEWF and SUBP, and tells what it got.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHLDPGM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-KEY                      PIC X(4) VALUE 'A001'.
       01  WS-RECORD                   PIC X(20) VALUE 'A001FIRST'.
       01  WS-TEXT                     PIC X(40) VALUE SPACES.
       01  WS-RESP                     PIC ZZ9.
       01  WS-RESP2                    PIC ZZ9.
       PROCEDURE DIVISION.
           EXEC CICS WRITE FILE('NEWF') FROM(WS-RECORD) RIDFLD(WS-KEY)
               NOHANDLE END-EXEC
           MOVE EIBRESP TO WS-RESP
           MOVE EIBRESP2 TO WS-RESP2
           STRING 'FILE ' WS-RESP ' ' WS-RESP2 DELIMITED BY SIZE
               INTO WS-TEXT
           EXEC CICS LINK PROGRAM('SUBP') NOHANDLE END-EXEC
           MOVE EIBRESP TO WS-RESP
           MOVE EIBRESP2 TO WS-RESP2
           STRING 'LINK ' WS-RESP ' ' WS-RESP2 DELIMITED BY SIZE
               INTO WS-TEXT (14:)
           EXEC CICS PUT CONTAINER('TOLD') FROM(WS-TEXT) FLENGTH(40)
               NOHANDLE END-EXEC
           EXEC CICS RETURN END-EXEC.
