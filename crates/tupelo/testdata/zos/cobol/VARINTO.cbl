      * Commands fill an area as far as the length that they are given
      * says, whatever the counter of its table is at the moment.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. VARINTO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 REC.
          05 K PIC X(6).
          05 CNT PIC 99 VALUE 0.
          05 TB OCCURS 0 TO 8 DEPENDING ON CNT PIC X(4).
       01 L PIC S9(4) COMP.
       01 FL PIC S9(8) COMP.
       01 R PIC S9(8) COMP.
       01 E PIC ZZ9.
       01 A PIC X(24) VALUE 'OD000104AAAABBBBCCCCDDDD'.
       PROCEDURE DIVISION.
           EXEC CICS WRITE FILE('KS') FROM(A) RIDFLD(A) END-EXEC
           MOVE 24 TO L MOVE 'OD0001' TO K
           EXEC CICS READ FILE('KS') INTO(REC) LENGTH(L) RIDFLD(K)
              RESP(R) END-EXEC
           MOVE R TO E DISPLAY E '[' REC ']'
           EXEC CICS PUT CONTAINER('C') CHANNEL('CH') FROM(A) END-EXEC
           MOVE 0 TO CNT MOVE 40 TO FL
           EXEC CICS GET CONTAINER('C') CHANNEL('CH') INTO(REC)
              FLENGTH(FL) RESP(R) END-EXEC
           MOVE R TO E DISPLAY E '[' REC ']'
           MOVE 0 TO CNT MOVE 40 TO L
           EXEC CICS WRITEQ TS QUEUE('Q') FROM(A) END-EXEC
           EXEC CICS READQ TS QUEUE('Q') INTO(REC) LENGTH(L) ITEM(1)
              RESP(R) END-EXEC
           MOVE R TO E DISPLAY E '[' REC ']'
           MOVE 10 TO FL MOVE ALL '*' TO A
           EXEC CICS GET CONTAINER('C') CHANNEL('CH') INTO(A)
              FLENGTH(FL) RESP(R) END-EXEC
           MOVE R TO E DISPLAY E '[' A ']'
           EXEC CICS RETURN END-EXEC.
