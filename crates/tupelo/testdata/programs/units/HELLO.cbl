       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-AREA                      PIC X(30).
       01  WS-RECORD.
           05  WS-KEY                   PIC X(4).
           05  WS-MONEY                 PIC 9(8).
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-SYNC                      PIC S9(8) COMP VALUE 0.
       01  WS-SHOWN                     PIC 9(3).
       01  WS-SHOWN2                    PIC 9(3).
       01  WS-ITEMS                     PIC S9(4) COMP VALUE 0.
       01  WS-ITEM                      PIC X(12).
       01  WS-RECORDS                   PIC 9(3) VALUE 0.
       01  WS-UOW                       PIC X(8).
       01  WS-STATE                     PIC S9(8) COMP VALUE 0.
       01  WS-ROLE                      PIC S9(8) COMP VALUE 0.
       01  WS-NET                       PIC X(8).
       01  WS-LINK                      PIC X(8).
       01  WS-TRANSID                   PIC X(4).
       01  WS-UOWLINK                   PIC X(4).
       01  WS-RESOURCE                  PIC X(255).
       01  WS-RESLEN                    PIC S9(4) COMP VALUE 0.
       01  WS-TYPE                      PIC S9(8) COMP VALUE 0.
       01  WS-KEPT                      PIC 9(3) VALUE 0.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE HELLO-NAME TO WS-AREA
           MOVE SPACES TO HELLO-GREETING
           MOVE 'MINE' TO WS-KEY
           MOVE 0 TO WS-MONEY
           IF HELLO-NAME(1:4) = 'look'
               EXEC CICS READ FILE('MONEY') INTO(WS-RECORD)
                    RIDFLD(WS-KEY) RESP(WS-RESP)
               END-EXEC
               MOVE WS-MONEY TO HELLO-GREETING
               EXEC CICS RETURN END-EXEC
           END-IF
           IF HELLO-NAME(1:4) = 'ends' OR 'back' OR 'forc' OR 'enqs'
               EXEC CICS INQUIRE UOW START END-EXEC
               PERFORM UNTIL WS-STATE = DFHVALUE(INDOUBT)
                   EXEC CICS INQUIRE UOW(WS-UOW) NEXT UOWSTATE(WS-STATE)
                        NETNAME(WS-NET) TRANSID(WS-TRANSID)
                   END-EXEC
               END-PERFORM
               EXEC CICS INQUIRE UOW END END-EXEC
               EXEC CICS INQUIRE UOWLINK START UOW(WS-UOW) END-EXEC
               EXEC CICS INQUIRE UOWLINK(WS-UOWLINK) NEXT
                    LINK(WS-LINK) ROLE(WS-ROLE)
               END-EXEC
               EXEC CICS INQUIRE UOWLINK END END-EXEC
               IF WS-ROLE NOT = DFHVALUE(COORDINATOR)
                   MOVE 'WRONG' TO WS-LINK
               END-IF
               EVALUATE HELLO-NAME(1:4)
                 WHEN 'ends'
                   EXEC CICS SET UOW(WS-UOW) COMMIT END-EXEC
                 WHEN 'back'
                   EXEC CICS SET UOW(WS-UOW) BACKOUT END-EXEC
                 WHEN 'forc'
                   EXEC CICS SET UOW(WS-UOW) FORCE END-EXEC
                 WHEN OTHER
                   PERFORM SHOW-ENQUEUES
                   EXEC CICS RETURN END-EXEC
               END-EVALUATE
               STRING WS-NET(1:4) '/' WS-LINK(1:4) '/' WS-TRANSID
                      DELIMITED BY SIZE INTO HELLO-GREETING
               EXEC CICS RETURN END-EXEC
           END-IF
           IF HELLO-NAME(1:4) = 'rest'
               EXEC CICS READQ TS QUEUE('RQUEUE') INTO(WS-ITEM) ITEM(1)
                    NUMITEMS(WS-ITEMS) RESP(WS-RESP)
               END-EXEC
               MOVE WS-ITEMS TO WS-SHOWN
               PERFORM UNTIL WS-RESP = DFHRESP(QZERO)
                   EXEC CICS READQ TD QUEUE('RTDQ') INTO(WS-ITEM)
                        RESP(WS-RESP)
                   END-EXEC
                   IF WS-RESP = DFHRESP(NORMAL)
                       ADD 1 TO WS-RECORDS
                   END-IF
               END-PERFORM
               EXEC CICS SYNCPOINT ROLLBACK END-EXEC
               MOVE 'STAR' TO WS-KEY
               EXEC CICS READ FILE('MONEY') INTO(WS-RECORD)
                    RIDFLD(WS-KEY) RESP(WS-RESP)
               END-EXEC
               MOVE WS-MONEY TO WS-SHOWN2
               STRING WS-SHOWN '/' WS-RECORDS '/' WS-SHOWN2
                      DELIMITED BY SIZE INTO HELLO-GREETING
               EXEC CICS RETURN END-EXEC
           END-IF
           IF HELLO-NAME(1:4) NOT = 'only'
               EXEC CICS READ FILE('MONEY') INTO(WS-RECORD)
                    RIDFLD(WS-KEY) UPDATE RESP(WS-RESP)
               END-EXEC
               IF WS-RESP NOT = DFHRESP(NORMAL)
                   MOVE 'MINE' TO WS-KEY
                   MOVE 1 TO WS-MONEY
                   EXEC CICS WRITE FILE('MONEY') FROM(WS-RECORD)
                        RIDFLD(WS-KEY)
                   END-EXEC
               ELSE
                   ADD 1 TO WS-MONEY
                   EXEC CICS REWRITE FILE('MONEY') FROM(WS-RECORD)
                   END-EXEC
               END-IF
           END-IF
           PERFORM LINK-IT
           IF HELLO-NAME(1:5) = 'twice'
               PERFORM LINK-IT
           END-IF
           IF HELLO-NAME(1:4) = 'undo'
               EXEC CICS SYNCPOINT ROLLBACK END-EXEC
           ELSE
               EXEC CICS SYNCPOINT RESP(WS-SYNC) END-EXEC
           END-IF
           MOVE WS-RESP TO WS-SHOWN
           MOVE WS-SYNC TO WS-SHOWN2
           STRING WS-SHOWN '/' WS-SHOWN2 DELIMITED BY SIZE
                  INTO HELLO-GREETING
           EXEC CICS RETURN END-EXEC.
       SHOW-ENQUEUES.
           EXEC CICS INQUIRE UOWENQ START UOW(WS-UOW) END-EXEC
           PERFORM UNTIL WS-RESP = DFHRESP(END)
               MOVE SPACES TO WS-RESOURCE
               EXEC CICS INQUIRE UOWENQ NEXT RESOURCE(WS-RESOURCE)
                    RESLEN(WS-RESLEN) TYPE(WS-TYPE) STATE(WS-STATE)
                    RELATION(WS-ROLE) RESP(WS-RESP)
               END-EXEC
               IF WS-RESP = DFHRESP(NORMAL)
                   ADD 1 TO WS-RECORDS
                   IF WS-STATE = DFHVALUE(RETAINED)
                      AND WS-ROLE = DFHVALUE(OWNER)
                       ADD 1 TO WS-KEPT
                   END-IF
                   EVALUATE WS-TYPE
                     WHEN DFHVALUE(TSQUEUE)
                       MOVE WS-RESOURCE TO WS-ITEM
                   END-EVALUATE
               END-IF
           END-PERFORM
           EXEC CICS INQUIRE UOWENQ END END-EXEC
           STRING WS-RECORDS '/' WS-KEPT '/' WS-ITEM
                  DELIMITED BY SIZE INTO HELLO-GREETING.
       LINK-IT.
           EXEC CICS HANDLE ABEND LABEL(ABENDED) END-EXEC
           IF HELLO-NAME(1:4) = 'comt'
               EXEC CICS LINK PROGRAM('TAKES') SYSID('PEER')
                    COMMAREA(WS-AREA) LENGTH(30) TRANSID('COMT')
                    RESP(WS-RESP)
               END-EXEC
           ELSE
               EXEC CICS LINK PROGRAM('TAKES') SYSID('PEER')
                    COMMAREA(WS-AREA) LENGTH(30) RESP(WS-RESP)
               END-EXEC
           END-IF
           EXEC CICS HANDLE ABEND CANCEL END-EXEC.
       ABENDED.
           EXEC CICS SYNCPOINT RESP(WS-SYNC) END-EXEC
           MOVE WS-SYNC TO WS-SHOWN2
           STRING 'abend/' WS-SHOWN2 DELIMITED BY SIZE
                  INTO HELLO-GREETING
           EXEC CICS RETURN END-EXEC.
