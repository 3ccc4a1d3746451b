       IDENTIFICATION DIVISION.
       PROGRAM-ID. FAR.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-MODE                      PIC X(8).
       01  WS-TEXT                      PIC X(8).
       01  WS-CHANNEL                   PIC X(16).
       01  WS-COUNT                     PIC S9(8) COMP.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-LENGTH                    PIC S9(8) COMP.
       01  WS-MADE                      PIC X(4) VALUE X'00FF0A41'.
       01  WS-BIG                       PIC X(1048576) VALUE ALL 'b'.
       01  WS-TIMES                     PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X(10).
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN CHANNEL(WS-CHANNEL) END-EXEC
           EXEC CICS GET CONTAINER('MODE') INTO(WS-MODE) RESP(WS-RESP)
           END-EXEC
           EXEC CICS QUERY CHANNEL(WS-CHANNEL) CONTAINERCNT(WS-COUNT)
           END-EXEC
           IF WS-MODE = 'abend'
               EXEC CICS PUT CONTAINER('TEXT') FROM('lost') CHAR
               END-EXEC
               EXEC CICS ABEND ABCODE('OOPS') END-EXEC
           END-IF
           IF WS-MODE = 'grow'
               PERFORM VARYING WS-TIMES FROM 1 BY 1 UNTIL WS-TIMES > 65
                   EXEC CICS PUT CONTAINER('GROWN') FROM(WS-BIG) APPEND
                   END-EXEC
               END-PERFORM
           END-IF
           MOVE 8 TO WS-LENGTH
           EXEC CICS GET CONTAINER('TEXT') INTO(WS-TEXT)
                FLENGTH(WS-LENGTH) RESP(WS-RESP)
           END-EXEC
           MOVE FUNCTION REVERSE(WS-TEXT) TO WS-TEXT
           EXEC CICS PUT CONTAINER('TEXT') FROM(WS-TEXT) CHAR
                FROMCCSID(819) RESP(WS-RESP)
           END-EXEC
           EXEC CICS DELETE CONTAINER('GONE') RESP(WS-RESP) END-EXEC
           EXEC CICS PUT CONTAINER('MADE') FROM(WS-MADE) END-EXEC
           EXEC CICS PUT CONTAINER('WHERE') FROM(WS-CHANNEL) CHAR
           END-EXEC
           EXEC CICS RETURN END-EXEC.
