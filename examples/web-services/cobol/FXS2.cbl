      * The service by web support: a line of text in, a line out.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FXS2.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-BODY.
           05  WS-FROM                 PIC X(3).
           05  FILLER                  PIC X.
           05  WS-TO                   PIC X(3).
           05  FILLER                  PIC X.
           05  WS-AMOUNT               PIC 9(9).
           05  FILLER                  PIC X.
           05  WS-CENTS                PIC 99.
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-DATA                     PIC X(16) VALUE 'DFHWS-DATA'.
       01  WS-CHANNEL                  PIC X(16) VALUE 'FXS2'.
       01  WS-ANSWER.
           05  WS-RESULT               PIC Z(7)9.99-.
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-REMARK               PIC X(40).
       COPY FXQUOTE.
       PROCEDURE DIVISION.
           MOVE 20 TO WS-LENGTH
           EXEC CICS WEB RECEIVE INTO(WS-BODY) LENGTH(WS-LENGTH)
               MAXLENGTH(20) END-EXEC
           COMPUTE FX-AMOUNT = WS-AMOUNT + WS-CENTS / 100
           MOVE WS-FROM TO FX-FROM
           MOVE WS-TO TO FX-TO
           MOVE 0 TO FX-RATE FX-RESULT
           MOVE SPACES TO FX-REMARK
           EXEC CICS PUT CONTAINER(WS-DATA) CHANNEL(WS-CHANNEL)
               FROM(FX-QUOTE) FLENGTH(LENGTH OF FX-QUOTE) END-EXEC
           EXEC CICS LINK PROGRAM('FXS1') CHANNEL(WS-CHANNEL) END-EXEC
           MOVE LENGTH OF FX-QUOTE TO WS-LENGTH
           EXEC CICS GET CONTAINER(WS-DATA) CHANNEL(WS-CHANNEL)
               INTO(FX-QUOTE) FLENGTH(WS-LENGTH) END-EXEC
           MOVE FX-RESULT TO WS-RESULT
           MOVE FX-REMARK TO WS-REMARK
           EXEC CICS WEB SEND FROM(WS-ANSWER)
               FROMLENGTH(LENGTH OF WS-ANSWER)
               MEDIATYPE('text/plain') STATUSCODE(200) END-EXEC
           EXEC CICS RETURN END-EXEC.
