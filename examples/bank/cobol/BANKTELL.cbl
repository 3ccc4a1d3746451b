      ******************************************************************
      * BANKTELL: the teller's screens. The work is done by the programs
      * that the REST API has: ACCTINQ, ACCTXFER and ACCTLIST.
      *
      * Pseudo-conversational: CONVERSATION is all that is kept between
      * two inputs.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BANKTELL.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  CONVERSATION.
           05  STEP                     PIC X VALUE 'M'.
               88  AT-MENU              VALUE 'M'.
               88  AT-INQUIRY           VALUE 'I'.
               88  AT-TRANSFER          VALUE 'X'.
               88  AT-CONFIRM           VALUE 'C'.
               88  AT-LIST              VALUE 'L'.
               88  AT-HELP              VALUE 'H'.
           05  K-FROM                   PIC 9(8) VALUE 0.
           05  K-TO                     PIC 9(8) VALUE 0.
           05  K-AMOUNT                 PIC 9(9)V99 VALUE 0.
           05  K-NEXT                   PIC 9(8) VALUE 0.
           05  K-PAGE                   PIC 9(2) VALUE 1.
           05  K-START                  PIC 9(8) OCCURS 50 VALUE 0.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-LINE                      PIC 9(2).
       01  WS-DIGITS                    PIC X(12).
       01  WS-MONEY                     PIC Z,ZZZ,ZZZ,ZZ9.99-.
       01  WS-ROWS.
           05  WS-ROW                   OCCURS 8 TIMES.
               10  ROW-NUMBER           PIC X(10).
               10  ROW-HOLDER           PIC X(32).
               10  ROW-KIND             PIC X(9).
               10  ROW-BALANCE          PIC X(19).
       01  WS-HELP.
           05  FILLER                   PIC X(80) VALUE
               'The teller: 1 shows one account, 2 transfers between two
      -        ', 3 lists all.'.
           05  FILLER                   PIC X(80) VALUE
               'A transfer is shown before it is done: PF5 does it.'.
           05  FILLER                   PIC X(80) VALUE
               'Press ENTER for the menu.'.
       COPY BANKSET.
       COPY DFHAID.
       COPY ACCTINQ.
       COPY XFERREQ.
       COPY XFERRPL.
       COPY LISTREQ.
       COPY LISTRPL.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X(438).
       PROCEDURE DIVISION.
           IF EIBCALEN = LENGTH OF CONVERSATION
               MOVE DFHCOMMAREA TO CONVERSATION
               PERFORM TAKE-INPUT
           ELSE
               PERFORM SHOW-MENU
           END-IF
           EXEC CICS RETURN TRANSID(EIBTRNID) COMMAREA(CONVERSATION)
           END-EXEC.

       TAKE-INPUT.
           EVALUATE TRUE
               WHEN EIBAID = DFHPF3 AND AT-MENU
                   PERFORM LEAVE-TELLER
               WHEN EIBAID = DFHPF3 OR DFHCLEAR
                   PERFORM SHOW-MENU
               WHEN EIBAID = DFHPF1
                   PERFORM SHOW-HELP
               WHEN AT-MENU
                   PERFORM TAKE-OPTION
               WHEN AT-INQUIRY
                   PERFORM INQUIRE-ACCOUNT
               WHEN AT-TRANSFER
                   PERFORM CHECK-TRANSFER
               WHEN AT-CONFIRM
                   PERFORM CONFIRM-TRANSFER
               WHEN AT-LIST
                   PERFORM TURN-PAGE
               WHEN OTHER
                   PERFORM SHOW-MENU
           END-EVALUATE.

       LEAVE-TELLER.
           MOVE SPACES TO WS-HELP
           MOVE 'Goodbye.' TO WS-HELP
           EXEC CICS SEND TEXT FROM(WS-HELP) LENGTH(8) ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.

       SHOW-HELP.
           SET AT-HELP TO TRUE
           EXEC CICS SEND TEXT FROM(WS-HELP) ERASE FREEKB END-EXEC.

       SHOW-MENU.
           SET AT-MENU TO TRUE
           EXEC CICS SEND MAP('BKMENU') MAPSET('BANKSET') MAPONLY ERASE
           END-EXEC.

       TAKE-OPTION.
           EXEC CICS RECEIVE MAP('BKMENU') MAPSET('BANKSET')
               RESP(WS-RESP)
           END-EXEC
           IF WS-RESP NOT = DFHRESP(NORMAL)
               MOVE LOW-VALUES TO BKMENUI
           END-IF
           EVALUATE OPTIONI
               WHEN '1'
                   SET AT-INQUIRY TO TRUE
                   EXEC CICS SEND MAP('BKINQ') MAPSET('BANKSET')
                       MAPONLY ERASE
                   END-EXEC
               WHEN '2'
                   SET AT-TRANSFER TO TRUE
                   EXEC CICS SEND MAP('BKXFER') MAPSET('BANKSET')
                       MAPONLY ERASE
                   END-EXEC
               WHEN '3'
                   MOVE 1 TO K-PAGE
                   MOVE 0 TO K-START(1)
                   PERFORM SHOW-LIST
               WHEN OTHER
                   MOVE LOW-VALUES TO BKMENUO
                   MOVE 'Choose 1, 2 or 3' TO MENUMSGO
                   MOVE -1 TO OPTIONL
                   EXEC CICS SEND MAP('BKMENU') MAPSET('BANKSET')
                       DATAONLY CURSOR ALARM
                   END-EXEC
           END-EVALUATE.

       INQUIRE-ACCOUNT.
           EXEC CICS RECEIVE MAP('BKINQ') MAPSET('BANKSET')
               RESP(WS-RESP)
           END-EXEC
           IF WS-RESP NOT = DFHRESP(NORMAL) OR INQNOI NOT NUMERIC
               MOVE LOW-VALUES TO BKINQO
               MOVE 'Type the number of an account' TO INQMSGO
           ELSE
               MOVE INQNOI TO INQ-NUMBER
               EXEC CICS LINK PROGRAM('ACCTINQ') COMMAREA(ACCTINQ-AREA)
                   LENGTH(LENGTH OF ACCTINQ-AREA)
               END-EXEC
               MOVE LOW-VALUES TO BKINQO
               PERFORM FILL-ACCOUNT
           END-IF
           MOVE -1 TO INQNOL
           EXEC CICS SEND MAP('BKINQ') MAPSET('BANKSET') DATAONLY CURSOR
           END-EXEC.

       FILL-ACCOUNT.
           IF RESULT-OK OF ACCTINQ-AREA
               MOVE INQ-HOLDER TO HOLDERO
               MOVE INQ-KIND TO KINDO
               MOVE INQ-BALANCE TO WS-MONEY
               MOVE WS-MONEY TO BALANCEO
               MOVE INQ-OVERDRAFT TO WS-MONEY
               MOVE WS-MONEY TO OVERDRO
               MOVE SPACES TO INQMSGO
           ELSE
               MOVE SPACES TO HOLDERO KINDO BALANCEO OVERDRO
               MOVE RESULT-TEXT OF ACCTINQ-AREA TO INQMSGO
           END-IF.

       CHECK-TRANSFER.
           EXEC CICS RECEIVE MAP('BKXFER') MAPSET('BANKSET')
               RESP(WS-RESP)
           END-EXEC
           IF WS-RESP NOT = DFHRESP(NORMAL)
               MOVE LOW-VALUES TO BKXFERI
           END-IF
           MOVE XAMOUNTI TO WS-DIGITS
           INSPECT WS-DIGITS REPLACING ALL LOW-VALUE BY SPACE
           EVALUATE TRUE
               WHEN XFROMI NOT NUMERIC
                   MOVE -1 TO XFROML
                   PERFORM TRANSFER-AGAIN
               WHEN XTOI NOT NUMERIC
                   MOVE -1 TO XTOL
                   PERFORM TRANSFER-AGAIN
               WHEN WS-DIGITS = SPACES
                   OR FUNCTION TEST-NUMVAL(WS-DIGITS) NOT = 0
                   MOVE -1 TO XAMOUNTL
                   PERFORM TRANSFER-AGAIN
               WHEN OTHER
                   MOVE XFROMI TO K-FROM
                   MOVE XTOI TO K-TO
                   COMPUTE K-AMOUNT = FUNCTION NUMVAL(WS-DIGITS)
                   PERFORM ASK-TRANSFER
           END-EVALUATE.

       TRANSFER-AGAIN.
           MOVE LOW-VALUES TO XASKO XKEYSO
           MOVE 'Type both accounts and an amount, such as 12.50'
               TO XMSGO
           EXEC CICS SEND MAP('BKXFER') MAPSET('BANKSET') DATAONLY
               CURSOR ALARM
           END-EXEC.

       ASK-TRANSFER.
           SET AT-CONFIRM TO TRUE
           MOVE LOW-VALUES TO BKXFERO
           MOVE K-AMOUNT TO WS-MONEY
           STRING 'Transfer ' FUNCTION TRIM(WS-MONEY) ' from ' K-FROM
               ' to ' K-TO '?' DELIMITED BY SIZE INTO XASKO
           MOVE SPACES TO XMSGO
           MOVE 'PF5 does it   PF3 menu' TO XKEYSO
           EXEC CICS SEND MAP('BKXFER') MAPSET('BANKSET') DATAONLY
           END-EXEC.

       CONFIRM-TRANSFER.
           IF EIBAID NOT = DFHPF5
               MOVE LOW-VALUES TO BKXFERO
               MOVE 'Press PF5 to transfer, or PF3' TO XMSGO
               EXEC CICS SEND MAP('BKXFER') MAPSET('BANKSET') DATAONLY
                   ALARM
               END-EXEC
           ELSE
               MOVE K-FROM TO XFER-FROM
               MOVE K-TO TO XFER-TO
               MOVE K-AMOUNT TO XFER-AMOUNT
               EXEC CICS PUT CONTAINER('XFER-REQUEST')
                   CHANNEL('TELLER') FROM(XFER-REQUEST)
               END-EXEC
               EXEC CICS LINK PROGRAM('ACCTXFER') CHANNEL('TELLER')
               END-EXEC
               EXEC CICS GET CONTAINER('XFER-REPLY')
                   CHANNEL('TELLER') INTO(XFER-REPLY)
               END-EXEC
               PERFORM SHOW-TRANSFER
           END-IF.

       SHOW-TRANSFER.
           SET AT-MENU TO TRUE
           MOVE LOW-VALUES TO BKMENUO
           IF RESULT-OK OF XFER-REPLY
               MOVE XFER-FROM-BALANCE TO WS-MONEY
               STRING 'Transferred. ' K-FROM ' has '
                   FUNCTION TRIM(WS-MONEY) ' now'
                   DELIMITED BY SIZE INTO MENUMSGO
           ELSE
               STRING 'Nothing is transferred: '
                   RESULT-TEXT OF XFER-REPLY
                   DELIMITED BY SIZE INTO MENUMSGO
           END-IF
           EXEC CICS SEND MAP('BKMENU') MAPSET('BANKSET') ERASE
           END-EXEC.

       TURN-PAGE.
           EVALUATE TRUE
               WHEN EIBAID = DFHPF8 AND K-NEXT > 0 AND K-PAGE < 50
                   ADD 1 TO K-PAGE
                   MOVE K-NEXT TO K-START(K-PAGE)
               WHEN EIBAID = DFHPF7 AND K-PAGE > 1
                   SUBTRACT 1 FROM K-PAGE
               WHEN OTHER
                   CONTINUE
           END-EVALUATE
           PERFORM SHOW-LIST.

       SHOW-LIST.
           SET AT-LIST TO TRUE
           MOVE K-START(K-PAGE) TO LIST-START
           MOVE 8 TO LIST-LIMIT
           EXEC CICS PUT CONTAINER('LIST-REQUEST') CHANNEL('TELLER')
               FROM(LIST-REQUEST)
           END-EXEC
           EXEC CICS LINK PROGRAM('ACCTLIST') CHANNEL('TELLER')
           END-EXEC
           MOVE 8 TO LIST-COUNT
           EXEC CICS GET CONTAINER('LIST-REPLY') CHANNEL('TELLER')
               INTO(LIST-REPLY)
               RESP(WS-RESP)
           END-EXEC
           MOVE LIST-NEXT TO K-NEXT
           MOVE SPACES TO WS-ROWS
           PERFORM VARYING WS-LINE FROM 1 BY 1
                   UNTIL WS-LINE > LIST-COUNT OR WS-LINE > 8
               MOVE ENTRY-NUMBER(WS-LINE) TO ROW-NUMBER(WS-LINE)
               MOVE ENTRY-HOLDER(WS-LINE) TO ROW-HOLDER(WS-LINE)
               MOVE ENTRY-KIND(WS-LINE) TO ROW-KIND(WS-LINE)
               MOVE ENTRY-BALANCE(WS-LINE) TO WS-MONEY
               MOVE WS-MONEY TO ROW-BALANCE(WS-LINE)
           END-PERFORM
           MOVE LOW-VALUES TO BKLISTO
           MOVE WS-ROW(1) TO L01O
           MOVE WS-ROW(2) TO L02O
           MOVE WS-ROW(3) TO L03O
           MOVE WS-ROW(4) TO L04O
           MOVE WS-ROW(5) TO L05O
           MOVE WS-ROW(6) TO L06O
           MOVE WS-ROW(7) TO L07O
           MOVE WS-ROW(8) TO L08O
           IF K-NEXT > 0
               STRING 'Page ' K-PAGE ', more with PF8'
                   DELIMITED BY SIZE INTO LISTMSGO
           ELSE
               STRING 'Page ' K-PAGE ', the last'
                   DELIMITED BY SIZE INTO LISTMSGO
           END-IF
           EXEC CICS SEND MAP('BKLIST') MAPSET('BANKSET') ERASE
           END-EXEC.
