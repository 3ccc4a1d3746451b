      * A provider's handler: what it does stands in the message.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SVHAND.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-FUNCTION                 PIC X(16).
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-MESSAGE                  PIC X(2000).
       01  WS-MESSAGE-LENGTH           PIC S9(8) COMP.
       01  WS-PIPELINE                 PIC X(8).
       01  WS-URI                      PIC X(20).
       01  WS-ANSWER                   PIC X(100).
       01  WS-N                        PIC S9(8) COMP.
       PROCEDURE DIVISION.
           MOVE 16 TO WS-LENGTH
           MOVE SPACES TO WS-FUNCTION
           EXEC CICS GET CONTAINER('DFHFUNCTION') INTO(WS-FUNCTION)
               FLENGTH(WS-LENGTH) END-EXEC
           EVALUATE WS-FUNCTION
               WHEN 'RECEIVE-REQUEST' PERFORM REQUEST-CAME
               WHEN 'SEND-RESPONSE' PERFORM RESPONSE-GOES
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
       REQUEST-CAME.
           MOVE 2000 TO WS-MESSAGE-LENGTH
           MOVE SPACES TO WS-MESSAGE
           EXEC CICS GET CONTAINER('DFHREQUEST') INTO(WS-MESSAGE)
               FLENGTH(WS-MESSAGE-LENGTH) END-EXEC
           MOVE 0 TO WS-N
           INSPECT WS-MESSAGE TALLYING WS-N FOR ALL '>abend<'
           IF WS-N > 0
               EXEC CICS ABEND ABCODE('SVHA') END-EXEC
           END-IF
           INSPECT WS-MESSAGE TALLYING WS-N FOR ALL '>silence<'
           IF WS-N > 0
               EXEC CICS DELETE CONTAINER('DFHREQUEST') END-EXEC
               EXEC CICS DELETE CONTAINER('DFHRESPONSE') END-EXEC
           ELSE
               INSPECT WS-MESSAGE TALLYING WS-N FOR ALL '>answer<'
               IF WS-N > 0 PERFORM ANSWER END-IF
           END-IF.
       ANSWER.
           MOVE SPACES TO WS-PIPELINE WS-URI WS-ANSWER
           MOVE 8 TO WS-LENGTH
           EXEC CICS GET CONTAINER('DFHWS-PIPELINE')
               INTO(WS-PIPELINE) FLENGTH(WS-LENGTH) END-EXEC
           MOVE 20 TO WS-LENGTH
           EXEC CICS GET CONTAINER('DFHWS-URI') INTO(WS-URI)
               FLENGTH(WS-LENGTH) END-EXEC
           MOVE 1 TO WS-N
           STRING '<answered pipeline=''' DELIMITED BY SIZE
               WS-PIPELINE DELIMITED BY SPACE
               ''' uri=''' DELIMITED BY SIZE
               WS-URI DELIMITED BY SPACE
               '''/>' DELIMITED BY SIZE
               INTO WS-ANSWER POINTER WS-N
           SUBTRACT 1 FROM WS-N
           EXEC CICS DELETE CONTAINER('DFHREQUEST') END-EXEC
           EXEC CICS PUT CONTAINER('DFHRESPONSE') FROM(WS-ANSWER)
               FLENGTH(WS-N) CHAR END-EXEC.
      * The function in a comment behind the response; what a handler
      * has answered itself stays as it is.
       RESPONSE-GOES.
           MOVE 1900 TO WS-MESSAGE-LENGTH
           MOVE SPACES TO WS-MESSAGE
           EXEC CICS GET CONTAINER('DFHRESPONSE') INTO(WS-MESSAGE)
               FLENGTH(WS-MESSAGE-LENGTH) END-EXEC
           IF WS-MESSAGE(1:9) = '<answered' EXIT PARAGRAPH END-IF
           MOVE WS-MESSAGE-LENGTH TO WS-N
           ADD 1 TO WS-N
           STRING '<!--' DELIMITED BY SIZE
               WS-FUNCTION DELIMITED BY SPACE
               '-->' DELIMITED BY SIZE
               INTO WS-MESSAGE POINTER WS-N
           SUBTRACT 1 FROM WS-N
           EXEC CICS PUT CONTAINER('DFHRESPONSE') FROM(WS-MESSAGE)
               FLENGTH(WS-N) CHAR END-EXEC.
