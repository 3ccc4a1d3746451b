      * Links to the programs of genapp that need neither SQL nor maps,
      * and tells what each leaves: files, queues, counters, abends.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. GENADRV.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY TELLDATA.
       01  STEP-NO                     PIC S9(4) COMP VALUE 0.
       01  CODE-OF-ABEND               PIC X(4).
       01  COUNT-SHOWN                 PIC ZZZZZZZ9.
       01  WS-COUNT                    PIC S9(8) COMP.
       01  WS-ITEMS                    PIC S9(4) COMP.
       01  WS-LENGTH                   PIC S9(4) COMP.
       01  WS-ITEM                     PIC X(110).
       01  WS-RECORD                   PIC X(225).
       01  WS-QUEUE                    PIC X(16).
       01  WS-KEY                      PIC X(21).
       01  SHORT-AREA                  PIC X(90).
       01  CA.
           05  CA-REQUEST              PIC X(6).
           05  CA-CODE                 PIC XX.
           05  CA-CUSTOMER             PIC X(10).
           05  CA-REST                 PIC X(482).
           05  CA-NAMES REDEFINES CA-REST.
               10  CA-FIRST            PIC X(10).
               10  CA-LAST             PIC X(20).
               10  FILLER              PIC X(452).
           05  CA-POLICY REDEFINES CA-REST.
               10  CA-POLICY-NO        PIC X(10).
               10  FILLER              PIC X(72).
               10  CA-MAKE             PIC X(15).
               10  CA-MODEL            PIC X(15).
               10  CA-VALUE            PIC 9(6).
               10  CA-REGNUMBER        PIC X(7).
               10  FILLER              PIC X(357).
       01  SQL-AT                      PIC S9(4) COMP.
       01  SQL-NAMES.
           05  FILLER                  PIC X(14) VALUE 'LGACUS0101ACUS'.
           05  FILLER                  PIC X(14) VALUE 'LGICUS0101ICUS'.
           05  FILLER                  PIC X(14) VALUE 'LGUCUS0101UCUS'.
           05  FILLER                  PIC X(14) VALUE 'LGAPOL0101AMOT'.
           05  FILLER                  PIC X(14) VALUE 'LGIPOL0101IMOT'.
           05  FILLER                  PIC X(14) VALUE 'LGUPOL0101UMOT'.
           05  FILLER                  PIC X(14) VALUE 'LGDPOL0101DMOT'.
       01  SQL-TABLE REDEFINES SQL-NAMES.
           05  SQL-ENTRY OCCURS 7.
               10  SQL-PROGRAM         PIC X(8).
               10  SQL-REQUEST         PIC X(6).
       LINKAGE SECTION.
       COPY TOLD.
       PROCEDURE DIVISION.
           EXEC CICS HANDLE ABEND LABEL(ABENDED) END-EXEC.
       NEXT-STEP.
           ADD 1 TO STEP-NO
           GO TO SETUP-STEP SETUP-TOLD ADD-CUSTOMER ADD-AGAIN
               ERRORS-TOLD CHANGE-CUSTOMER CHANGE-NONE ASK-CUSTOMER
               ADD-POLICY ADD-POLICY-AGAIN CHANGE-POLICY ASK-POLICY
               DELETE-POLICY DELETE-AGAIN COUNT-ONE COUNT-TOLD
               STATISTICS STATISTICS-TOLD MESSAGE-STEP NEEDS-SQL
               NEEDS-SQL NEEDS-SQL NEEDS-SQL NEEDS-SQL NEEDS-SQL
               NEEDS-SQL DEPENDING ON STEP-NO
           EXEC CICS RETURN END-EXEC.
       ABENDED.
           EXEC CICS HANDLE ABEND LABEL(ABENDED) END-EXEC
           EXEC CICS ASSIGN ABCODE(CODE-OF-ABEND) NOHANDLE END-EXEC
           IF STEP-NO > 1
               MOVE 'abend' TO TELL-STEP
               MOVE CODE-OF-ABEND TO TELL-DATA
               PERFORM TELL
           END-IF
           GO TO NEXT-STEP.
      * It ends with SEND TEXT, which needs a terminal.
       SETUP-STEP.
           MOVE SPACES TO SHORT-AREA
           EXEC CICS LINK PROGRAM('LGSETUP') COMMAREA(SHORT-AREA)
               END-EXEC
           GO TO NEXT-STEP.
       SETUP-TOLD.
           MOVE 'GENACNTL' TO WS-QUEUE
           PERFORM READ-QUEUE 2 TIMES
           EXEC CICS QUERY COUNTER('GENA01ICUS00') POOL('GENA')
               VALUE(WS-COUNT) NOHANDLE END-EXEC
           MOVE 'counter' TO TELL-STEP
           PERFORM SHOW-COUNT
           EXEC CICS QUERY COUNTER('GENA01UCUS99') POOL('GENA')
               VALUE(WS-COUNT) NOHANDLE END-EXEC
           MOVE 'the last counter' TO TELL-STEP
           PERFORM SHOW-COUNT
           GO TO NEXT-STEP.
       ADD-CUSTOMER.
           MOVE SPACES TO CA
           MOVE '01ACUS' TO CA-REQUEST
           MOVE '00' TO CA-CODE
           MOVE '0000000042' TO CA-CUSTOMER
           MOVE 'ADA' TO CA-FIRST
           MOVE 'LOVELACE' TO CA-LAST
           EXEC CICS LINK PROGRAM('LGACVS01') COMMAREA(CA) END-EXEC
           MOVE 'add customer' TO TELL-STEP
           MOVE CA-CODE TO TELL-DATA
           PERFORM TELL
           PERFORM READ-CUSTOMER
           GO TO NEXT-STEP.
       ADD-AGAIN.
           MOVE 'add again' TO TELL-STEP
           PERFORM TELL
           EXEC CICS LINK PROGRAM('LGACVS01') COMMAREA(CA) END-EXEC
           GO TO NEXT-STEP.
       ERRORS-TOLD.
           MOVE CA-CODE TO TELL-DATA
           MOVE 'code' TO TELL-STEP
           PERFORM TELL
           MOVE 'GENAERRS' TO WS-QUEUE
           MOVE 'message' TO TELL-STEP
           PERFORM READ-NEXT
           MOVE WS-ITEM(31:40) TO TELL-DATA
           PERFORM TELL
           MOVE 'message' TO TELL-STEP
           PERFORM READ-NEXT
           MOVE WS-ITEM(6:40) TO TELL-DATA
           PERFORM TELL
           EXEC CICS READQ TD QUEUE('CSMT') INTO(WS-ITEM) NOHANDLE
               END-EXEC
           MOVE 'CSMT' TO TELL-STEP
           MOVE WS-ITEM(1:4) TO TELL-DATA
           PERFORM TELL
           GO TO NEXT-STEP.
       CHANGE-CUSTOMER.
           MOVE 'AUGUSTA' TO CA-FIRST
           MOVE '00' TO CA-CODE
           EXEC CICS LINK PROGRAM('LGUCVS01') COMMAREA(CA) END-EXEC
           MOVE 'change customer' TO TELL-STEP
           MOVE CA-CODE TO TELL-DATA
           PERFORM TELL
           PERFORM READ-CUSTOMER
           GO TO NEXT-STEP.
       CHANGE-NONE.
           MOVE '0000007777' TO CA-CUSTOMER
           EXEC CICS LINK PROGRAM('LGUCVS01') COMMAREA(CA) END-EXEC
           GO TO NEXT-STEP.
       ASK-CUSTOMER.
           MOVE SPACES TO SHORT-AREA
           EXEC CICS LINK PROGRAM('LGICVS01') COMMAREA(SHORT-AREA)
               END-EXEC
           MOVE 'ask customer' TO TELL-STEP
           MOVE SHORT-AREA(1:14) TO TELL-DATA
           PERFORM TELL
           GO TO NEXT-STEP.
       ADD-POLICY.
           MOVE SPACES TO CA
           MOVE '01AMOT' TO CA-REQUEST
           MOVE '00' TO CA-CODE
           MOVE '0000000042' TO CA-CUSTOMER
           MOVE '0000000777' TO CA-POLICY-NO
           MOVE 'LOTUS' TO CA-MAKE
           MOVE 'ELAN' TO CA-MODEL
           MOVE 12000 TO CA-VALUE
           MOVE 'A567WWR' TO CA-REGNUMBER
           EXEC CICS LINK PROGRAM('LGAPVS01') COMMAREA(CA) END-EXEC
           MOVE 'add policy' TO TELL-STEP
           MOVE CA-CODE TO TELL-DATA
           PERFORM TELL
           PERFORM READ-POLICY
           GO TO NEXT-STEP.
       ADD-POLICY-AGAIN.
           EXEC CICS LINK PROGRAM('LGAPVS01') COMMAREA(CA) END-EXEC
           MOVE 'add policy again' TO TELL-STEP
           MOVE CA-CODE TO TELL-DATA
           PERFORM TELL
           GO TO NEXT-STEP.
       CHANGE-POLICY.
           MOVE '01UMOT' TO CA-REQUEST
           MOVE '00' TO CA-CODE
           MOVE 'ELISE' TO CA-MODEL
           EXEC CICS LINK PROGRAM('LGUPVS01') COMMAREA(CA) END-EXEC
           MOVE 'change policy' TO TELL-STEP
           MOVE CA-CODE TO TELL-DATA
           PERFORM TELL
           PERFORM READ-POLICY
           GO TO NEXT-STEP.
       ASK-POLICY.
           MOVE 'M0000000042' TO SHORT-AREA
           EXEC CICS LINK PROGRAM('LGIPVS01') COMMAREA(SHORT-AREA)
               END-EXEC
           MOVE 'ask policy' TO TELL-STEP
           MOVE SHORT-AREA(1:32) TO TELL-DATA
           PERFORM TELL
           GO TO NEXT-STEP.
       DELETE-POLICY.
           MOVE '01DMOT' TO CA-REQUEST
           MOVE '00' TO CA-CODE
           EXEC CICS LINK PROGRAM('LGDPVS01') COMMAREA(CA) END-EXEC
           MOVE 'delete policy' TO TELL-STEP
           MOVE CA-CODE TO TELL-DATA
           PERFORM TELL
           GO TO NEXT-STEP.
       DELETE-AGAIN.
           EXEC CICS LINK PROGRAM('LGDPVS01') COMMAREA(CA) END-EXEC
           MOVE 'delete again' TO TELL-STEP
           MOVE CA-CODE TO TELL-DATA
           PERFORM TELL
           GO TO NEXT-STEP.
       COUNT-ONE.
           MOVE SPACES TO CA
           MOVE '01ICUS' TO CA-REQUEST
           MOVE '00' TO CA-CODE
           EXEC CICS LINK PROGRAM('LGASTAT1') COMMAREA(CA) END-EXEC
           MOVE '02ACUS' TO CA-REQUEST
           MOVE '70' TO CA-CODE
           EXEC CICS LINK PROGRAM('LGASTAT1') COMMAREA(CA) END-EXEC
           EXEC CICS LINK PROGRAM('LGASTAT1') COMMAREA(CA) END-EXEC
           GO TO NEXT-STEP.
       COUNT-TOLD.
           EXEC CICS QUERY COUNTER('GENA01ICUS00') POOL('GENA')
               VALUE(WS-COUNT) NOHANDLE END-EXEC
           MOVE 'counted' TO TELL-STEP
           PERFORM SHOW-COUNT
           EXEC CICS QUERY COUNTER('GENA01ACUS99') POOL('GENA')
               VALUE(WS-COUNT) NOHANDLE END-EXEC
           MOVE 'counted' TO TELL-STEP
           PERFORM SHOW-COUNT
           GO TO NEXT-STEP.
       STATISTICS.
           EXEC CICS LINK PROGRAM('LGWEBST5') END-EXEC
           GO TO NEXT-STEP.
       STATISTICS-TOLD.
           MOVE 'GENA100V' TO WS-QUEUE
           PERFORM READ-QUEUE
           MOVE 'GENA000V' TO WS-QUEUE
           EXEC CICS READQ TS QUEUE(WS-QUEUE) INTO(WS-ITEM)
               LENGTH(WS-LENGTH) ITEM(1) NUMITEMS(WS-ITEMS)
               NOHANDLE END-EXEC
           MOVE WS-ITEMS TO COUNT-SHOWN
           MOVE COUNT-SHOWN TO TELL-DATA
           MOVE 'interval' TO TELL-STEP
           PERFORM TELL
           GO TO NEXT-STEP.
       MESSAGE-STEP.
           MOVE 'Q=TEST hello' TO SHORT-AREA
           EXEC CICS LINK PROGRAM('LGSTSQ') COMMAREA(SHORT-AREA)
               LENGTH(12) END-EXEC
           MOVE 'GENATEST' TO WS-QUEUE
           PERFORM READ-QUEUE
           GO TO NEXT-STEP.
      * They check the request and link to a program with SQL.
       NEEDS-SQL.
           COMPUTE SQL-AT = STEP-NO - 19
           MOVE SPACES TO CA
           MOVE SQL-REQUEST (SQL-AT) TO CA-REQUEST
           MOVE '00' TO CA-CODE
           EXEC CICS LINK PROGRAM(SQL-PROGRAM (SQL-AT)) COMMAREA(CA)
               END-EXEC
           MOVE SQL-PROGRAM (SQL-AT) TO TELL-STEP
           MOVE CA-CODE TO TELL-DATA
           PERFORM TELL
           GO TO NEXT-STEP.
       READ-NEXT.
           MOVE SPACES TO WS-ITEM
           MOVE 110 TO WS-LENGTH
           EXEC CICS READQ TS QUEUE(WS-QUEUE) INTO(WS-ITEM)
               LENGTH(WS-LENGTH) NEXT NOHANDLE END-EXEC.
       READ-QUEUE.
           PERFORM READ-NEXT
           MOVE WS-QUEUE TO TELL-STEP
           MOVE WS-ITEM TO TELL-DATA
           PERFORM TELL.
       READ-CUSTOMER.
           EXEC CICS READ FILE('KSDSCUST') INTO(WS-RECORD)
               RIDFLD(CA-CUSTOMER) NOHANDLE END-EXEC
           MOVE 'KSDSCUST' TO TELL-STEP
           MOVE WS-RECORD(1:40) TO TELL-DATA
           PERFORM TELL.
       READ-POLICY.
           MOVE 'M00000000420000000777' TO WS-KEY
           EXEC CICS READ FILE('KSDSPOLY') INTO(WS-RECORD)
               RIDFLD(WS-KEY) NOHANDLE END-EXEC
           MOVE 'KSDSPOLY' TO TELL-STEP
           MOVE WS-RECORD(22:40) TO TELL-DATA
           PERFORM TELL.
       SHOW-COUNT.
           MOVE WS-COUNT TO COUNT-SHOWN
           MOVE COUNT-SHOWN TO TELL-DATA
           PERFORM TELL.
       COPY TELL.
