      ******************************************************************
      * PFPADCON: return as many characters as the caller asks for.
      *
      * Container LEN-TO-RETURN (a fullword) says how many.  The answer
      * is in RESPONSE-DATA, its length as eight characters in
      * RESPONSE-LENGTH; ERROR is there only when something is wrong.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. PFPADCON.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-LENGTH                    PIC S9(8) COMP.
       01  WS-DIGITS                    PIC 9(8).
       01  WS-FILL                      PIC X VALUE 'A'.
       01  WS-ERROR                     PIC X(60).
       COPY PFPREQ.
       COPY PFPLEN.
       LINKAGE SECTION.
       COPY PFPDATA.
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('LEN-TO-RETURN')
               INTO(PFPADCON-REQUEST)
               RESP(WS-RESP)
           END-EXEC
           EVALUATE TRUE
               WHEN WS-RESP NOT = DFHRESP(NORMAL)
                   MOVE 'Container LEN-TO-RETURN is missing' TO WS-ERROR
                   PERFORM PUT-ERROR
               WHEN LEN-TO-RETURN < 1
                   MOVE 'LEN-TO-RETURN must be at least 1' TO WS-ERROR
                   PERFORM PUT-ERROR
               WHEN LEN-TO-RETURN > LENGTH OF ALPHA-DATA
                   MOVE 'LEN-TO-RETURN must be at most 8000000'
                       TO WS-ERROR
                   PERFORM PUT-ERROR
               WHEN OTHER
                   PERFORM PUT-RESPONSE
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.

       PUT-RESPONSE.
           MOVE LEN-TO-RETURN TO WS-LENGTH
      * Storage for what is sent and no more: WORKING-STORAGE for the
      * longest answer would be initialised for each task.
      * INITIMG fills it; a MOVE ALL would cost more than all the rest.
           EXEC CICS GETMAIN SET(ADDRESS OF RESPONSE-DATA)
               FLENGTH(WS-LENGTH) INITIMG(WS-FILL)
           END-EXEC
           MOVE WS-LENGTH TO WS-DIGITS
           MOVE WS-DIGITS TO ALPHA-LEN-C
           EXEC CICS PUT CONTAINER('RESPONSE-DATA')
               FROM(RESPONSE-DATA) FLENGTH(WS-LENGTH)
           END-EXEC
           EXEC CICS PUT CONTAINER('RESPONSE-LENGTH')
               FROM(RESPONSE-LENGTH) FLENGTH(LENGTH OF RESPONSE-LENGTH)
           END-EXEC.

       PUT-ERROR.
           EXEC CICS PUT CONTAINER('ERROR')
               FROM(WS-ERROR) FLENGTH(LENGTH OF WS-ERROR) CHAR
           END-EXEC.
