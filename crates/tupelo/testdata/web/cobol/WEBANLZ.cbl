      * An analyzer as the manual describes one: it looks at the path and
      * the query, names what serves them, and refuses what it must.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBANLZ.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY DFHWBUCO.
       01  WS-AT                       PIC S9(8) COMP.
       LINKAGE SECTION.
       COPY DFHWBTDO.
       01  LK-PATH.
           03  LK-PATH-CHAR            PIC X OCCURS 200.
       01  LK-METHOD                   PIC X(4).
       01  LK-DATA                     PIC X(200).
       PROCEDURE DIVISION.
           IF WBRA-EYECATCHER NOT = ANALYZE-EYECATCHER-INIT
               OR WBRA-FUNCTION NOT = URP-ANALYZE
               MOVE URP-INVALID TO WBRA-RESPONSE
               EXEC CICS RETURN END-EXEC
           END-IF
           MOVE URP-OK TO WBRA-RESPONSE
           SET ADDRESS OF LK-PATH TO WBRA-RESOURCE-PTR
           SET ADDRESS OF LK-METHOD TO WBRA-METHOD-PTR
           EVALUATE TRUE
               WHEN LK-PATH(1:WBRA-RESOURCE-LENGTH) = '/analyzed/no'
                   MOVE URP-EXCEPTION TO WBRA-RESPONSE
                   MOVE 42 TO WBRA-REASON
               WHEN LK-PATH(1:WBRA-RESOURCE-LENGTH) = '/analyzed/dead'
                   EXEC CICS ABEND ABCODE('ANLZ') END-EXEC
               WHEN LK-PATH(1:WBRA-RESOURCE-LENGTH) = '/nowhere/else'
                   MOVE 'WEBECHO' TO WBRA-SERVER-PROGRAM
               WHEN WBRA-URIMAP = SPACES
                   MOVE URP-EXCEPTION TO WBRA-RESPONSE
               WHEN OTHER
                   MOVE 'WEBCNVT' TO WBRA-CONVERTER-PROGRAM
                   MOVE 'WEBPLAIN' TO WBRA-SERVER-PROGRAM
                   MOVE 'WECH' TO WBRA-ALIAS-TRANID
                   MOVE 'analyzed' TO WBRA-USER-TOKEN
                   MOVE WBRA-UNESCAPE-REQUIRED TO WBRA-UNESCAPE
                   SET ADDRESS OF LK-DATA TO WBRA-USER-DATA-PTR
                   INSPECT LK-DATA(1:WBRA-USER-DATA-LENGTH)
                       REPLACING ALL 'old' BY 'new'
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
