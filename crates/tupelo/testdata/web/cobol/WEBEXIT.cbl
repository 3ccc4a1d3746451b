      * Gives the templates that name it as their EXITPGM: one that refuses,
      * one that is larger than its first buffer, one that no buffer is
      * large enough for, one that abends, and any other.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBEXIT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-WHY                      PIC X(19)
           VALUE 'no such text so far'.
       LINKAGE SECTION.
       01  DFHCOMMAREA                 PIC X.
           COPY DFHDHTXO.
       01  LK-NAME                     PIC X(48).
       01  LK-BUFFER                   PIC X(8000).
       PROCEDURE DIVISION.
           SET ADDRESS OF DHTX-PLIST TO ADDRESS OF DFHCOMMAREA
           IF DHTX-EYECATCHER NOT = '>DFHDHTXPARMS'
               OR DHTX-LENGTH NOT = LENGTH OF DHTX-PLIST
               EXEC CICS ABEND ABCODE('LIST') END-EXEC
           END-IF
           SET ADDRESS OF LK-NAME TO DHTX-TEMPLATE-NAME-PTR
           SET ADDRESS OF LK-BUFFER TO DHTX-BUFFER-PTR
           EVALUATE LK-NAME
               WHEN 'REFUSED'
                   MOVE 8 TO DHTX-RETURN-CODE
                   SET DHTX-MESSAGE-PTR TO ADDRESS OF WS-WHY
                   MOVE LENGTH OF WS-WHY TO DHTX-MESSAGE-LEN
               WHEN 'LONG'
                   MOVE 8000 TO DHTX-TEMPLATE-LEN
                   IF DHTX-BUFFER-LEN = 8000
                       MOVE ALL 'long' TO LK-BUFFER
                   END-IF
               WHEN 'ENDLESS'
                   ADD 1 TO DHTX-BUFFER-LEN GIVING DHTX-TEMPLATE-LEN
               WHEN 'ABENDS'
                   EXEC CICS ABEND ABCODE('EXIT') END-EXEC
               WHEN OTHER
                   MOVE '[&who; ' TO LK-BUFFER(1:7)
                   MOVE LK-NAME(1:5) TO LK-BUFFER(8:5)
                   MOVE DHTX-APPEND-CRLF TO LK-BUFFER(13:1)
                   MOVE ']' TO LK-BUFFER(14:1)
                   MOVE 14 TO DHTX-TEMPLATE-LEN
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
