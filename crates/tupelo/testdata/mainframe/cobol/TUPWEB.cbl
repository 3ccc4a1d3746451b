      * Runs the program that the end of the path names, with the body
      * as its COMMAREA, or as the container that a header names.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TUPWEB.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PATH                     PIC X(80) VALUE SPACES.
       01  WS-PATH-L                   PIC S9(8) COMP VALUE 80.
       01  WS-AT                       PIC S9(8) COMP.
       01  WS-PROGRAM                  PIC X(8) VALUE SPACES.
       01  WS-IN                       PIC X(16) VALUE SPACES.
       01  WS-IN-L                     PIC S9(8) COMP VALUE 16.
       01  WS-OUT                      PIC X(16) VALUE SPACES.
       01  WS-AREA                     PIC X(32500).
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-SHORT                    PIC S9(4) COMP.
       01  WS-MOST                     PIC S9(8) COMP VALUE 32500.
       01  WS-TOKEN                    PIC S9(8) COMP.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-ABEND.
           05  WS-CODE                 PIC X(4).
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-WHERE                PIC X(8).
       PROCEDURE DIVISION.
           EXEC CICS HANDLE ABEND LABEL(ABENDED) END-EXEC
           EXEC CICS WEB EXTRACT PATH(WS-PATH) PATHLENGTH(WS-PATH-L)
               END-EXEC
           MOVE WS-PATH-L TO WS-AT
           PERFORM UNTIL WS-PATH(WS-AT:1) = '/' SUBTRACT 1 FROM WS-AT
               END-PERFORM
           MOVE WS-PATH(WS-AT + 1:) TO WS-PROGRAM
           EXEC CICS WEB READ HTTPHEADER('cics-container')
               NAMELENGTH(14) VALUE(WS-IN) VALUELENGTH(WS-IN-L)
               RESP(WS-RESP) END-EXEC
           EXEC CICS WEB RECEIVE INTO(WS-AREA) LENGTH(WS-LENGTH)
               MAXLENGTH(WS-MOST) NOSRVCONVERT END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
               PERFORM BY-CHANNEL
           ELSE
               MOVE WS-LENGTH TO WS-SHORT
               EXEC CICS LINK PROGRAM(WS-PROGRAM) COMMAREA(WS-AREA)
                   LENGTH(WS-SHORT) RESP(WS-RESP) END-EXEC
           END-IF
           IF WS-RESP = DFHRESP(NORMAL)
               EXEC CICS WEB SEND FROM(WS-AREA) FROMLENGTH(WS-LENGTH)
                   MEDIATYPE('application/octet-stream')
                   STATUSCODE(200) NOSRVCONVERT END-EXEC
           ELSE
               EXEC CICS WEB SEND FROM(WS-PROGRAM) FROMLENGTH(8)
                   MEDIATYPE('text/plain') STATUSCODE(404) END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
       BY-CHANNEL.
           EXEC CICS PUT CONTAINER(WS-IN) CHANNEL('TUPELO')
               FROM(WS-AREA) FLENGTH(WS-LENGTH) END-EXEC
           EXEC CICS LINK PROGRAM(WS-PROGRAM) CHANNEL('TUPELO')
               RESP(WS-RESP) END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
      *        Of the containers that are there now, another one than
      *        that of the request is the answer.
               MOVE WS-IN TO WS-OUT
               EXEC CICS STARTBROWSE CONTAINER CHANNEL('TUPELO')
                   BROWSETOKEN(WS-TOKEN) END-EXEC
               PERFORM WITH TEST AFTER UNTIL WS-RESP NOT = 0
                   EXEC CICS GETNEXT CONTAINER(WS-OUT)
                       BROWSETOKEN(WS-TOKEN) RESP(WS-RESP) END-EXEC
                   IF WS-RESP = 0 AND WS-OUT NOT = WS-IN
                       PERFORM TAKE-ANSWER
                   END-IF
               END-PERFORM
               EXEC CICS ENDBROWSE CONTAINER BROWSETOKEN(WS-TOKEN)
                   END-EXEC
               MOVE DFHRESP(NORMAL) TO WS-RESP
           END-IF.
       TAKE-ANSWER.
           MOVE WS-MOST TO WS-LENGTH
           EXEC CICS GET CONTAINER(WS-OUT) CHANNEL('TUPELO')
               INTO(WS-AREA) FLENGTH(WS-LENGTH) END-EXEC
           EXEC CICS WEB WRITE HTTPHEADER('cics-container')
               NAMELENGTH(14) VALUE(WS-OUT) VALUELENGTH(16) END-EXEC.
       ABENDED.
           EXEC CICS ASSIGN ABCODE(WS-CODE) ABPROGRAM(WS-WHERE)
               END-EXEC
           EXEC CICS WEB WRITE HTTPHEADER('cics-abend')
               NAMELENGTH(10) VALUE(WS-ABEND) VALUELENGTH(13) END-EXEC
           EXEC CICS WEB SEND FROM(WS-ABEND) FROMLENGTH(13)
               MEDIATYPE('text/plain') STATUSCODE(500) END-EXEC
           EXEC CICS RETURN END-EXEC.
