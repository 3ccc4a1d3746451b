       IDENTIFICATION DIVISION.
       PROGRAM-ID. TELLER.
      * A conversation of three screens. What it needs to know between
      * two inputs is in its COMMAREA.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  CONVERSATION.
           05  STEP                PIC X VALUE '1'.
               88  AT-MENU         VALUE '1'.
               88  AT-ORDER        VALUE '2'.
               88  AT-CONFIRM      VALUE '3'.
           05  KEPT-ACCOUNT        PIC X(8).
           05  KEPT-AMOUNT         PIC 9(7).
       01  GOODBYE                 PIC X(60) VALUE SPACES.
       COPY TELLSET.
       COPY DFHAID.
       COPY DFHBMSCA.
       LINKAGE SECTION.
       01  DFHCOMMAREA             PIC X(16).
       PROCEDURE DIVISION.
       MAIN-LINE.
           IF EIBCALEN = 0
               PERFORM SHOW-MENU
           ELSE
               MOVE DFHCOMMAREA TO CONVERSATION
               EVALUATE TRUE
                   WHEN EIBAID = DFHPF3  PERFORM LEAVE-IT
                   WHEN EIBAID = DFHCLEAR PERFORM SHOW-MENU
                   WHEN AT-MENU          PERFORM TAKE-OPTION
                   WHEN AT-ORDER         PERFORM TAKE-ORDER
                   WHEN OTHER            PERFORM TAKE-ANSWER
               END-EVALUATE
           END-IF
           EXEC CICS RETURN TRANSID(EIBTRNID) COMMAREA(CONVERSATION)
           END-EXEC.
       SHOW-MENU.
           SET AT-MENU TO TRUE
           EXEC CICS SEND MAP('MENU') MAPSET('TELLSET') MAPONLY ERASE
           END-EXEC.
       TAKE-OPTION.
           EXEC CICS RECEIVE MAP('MENU') MAPSET('TELLSET')
               NOHANDLE END-EXEC
           EVALUATE TRUE
               WHEN EIBRESP = DFHRESP(MAPFAIL)
                   MOVE LOW-VALUES TO MENUO
                   MOVE 'Choose an option' TO MESSAGEO
                   PERFORM MENU-AGAIN
               WHEN OPTIONI = '1'
                   SET AT-ORDER TO TRUE
                   MOVE LOW-VALUES TO ORDERO
                   EXEC CICS SEND MAP('ORDER') MAPSET('TELLSET') ERASE
                   END-EXEC
               WHEN OTHER
                   MOVE LOW-VALUES TO MENUO
                   MOVE 'There is no such option' TO MESSAGEO
                   PERFORM MENU-AGAIN
           END-EVALUATE.
       MENU-AGAIN.
           MOVE -1 TO OPTIONL
           EXEC CICS SEND MAP('MENU') MAPSET('TELLSET') DATAONLY CURSOR
               ALARM END-EXEC.
       TAKE-ORDER.
           EXEC CICS RECEIVE MAP('ORDER') MAPSET('TELLSET')
               NOHANDLE END-EXEC
           IF EIBRESP = DFHRESP(MAPFAIL) OR AMOUNTL = 0
               MOVE LOW-VALUES TO ORDERO
               MOVE 'Enter account and amount' TO ORDMSGO
               MOVE -1 TO AMOUNTL
               MOVE DFHBMASB TO ORDMSGA
               EXEC CICS SEND MAP('ORDER') MAPSET('TELLSET') DATAONLY
                   CURSOR END-EXEC
           ELSE
               SET AT-CONFIRM TO TRUE
               MOVE ACCOUNTI TO KEPT-ACCOUNT
               MOVE AMOUNTI TO KEPT-AMOUNT
               MOVE LOW-VALUES TO CONFIRMO
               MOVE KEPT-ACCOUNT TO TARGETO
               MOVE KEPT-AMOUNT TO SUMO
               EXEC CICS SEND MAP('CONFIRM') MAPSET('TELLSET') ERASE
               END-EXEC
           END-IF.
       TAKE-ANSWER.
           EXEC CICS RECEIVE MAP('CONFIRM') MAPSET('TELLSET')
               NOHANDLE END-EXEC
           MOVE LOW-VALUES TO MENUO
           IF ANSWERI = 'Y' OR 'y'
               STRING 'Transferred ' KEPT-AMOUNT ' to ' KEPT-ACCOUNT
                   DELIMITED BY SIZE INTO MESSAGEO
           ELSE
               MOVE 'Nothing is transferred' TO MESSAGEO
           END-IF
           SET AT-MENU TO TRUE
           EXEC CICS SEND MAP('MENU') MAPSET('TELLSET') ERASE END-EXEC.
       LEAVE-IT.
           STRING 'Goodbye, ' EIBTRMID DELIMITED BY SIZE INTO GOODBYE
           EXEC CICS SEND TEXT FROM(GOODBYE) ERASE FREEKB END-EXEC
           EXEC CICS RETURN END-EXEC.
