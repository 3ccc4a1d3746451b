       IDENTIFICATION DIVISION.
       PROGRAM-ID. LENIENT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  TIMESTAMP           PIC X(26).
       01  C                   PIC X.
       01  FP                  FUNCTION-POINTER.
       01  FC.
           02  TOKEN-VALUE.
           COPY CEEIGZCT.
               03  SEVERITY    PIC S9(4) BINARY.
               03  MSG-NO      PIC S9(4) BINARY.
               03  CASE-CTL    PIC X.
               03  FACILITY    PIC XXX.
           02  I-S-INFO        PIC S9(9) BINARY.
       01  MQM-CONSTANTS.
           COPY CMQV.
       01  MQM-DESCRIPTOR.
           COPY CMQMDV.
           COPY CMQODL.
       COPY BAQRINFO.
       01  OUT-AREA.
           05  OUT-POINTER     POINTER.
           05  OUT-TEXT        PIC X(10).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  IN-POINTER      POINTER.
           05  IN-TEXT         PIC X(10).
       PROCEDURE DIVISION.
		MOVE SPACES TO TIMESTAMP MOVE SPACES TO C MOVE SPACES TO IN-TEXT
           SERVICE RELOAD DFHCOMMAREA
           CALL 'SUB' USING C TIMESTAMP DFHCOMMAREA
           CALL 'SUB' USING BY CONTENT C
           IF CEE000 OF FC AND MQCC-OK = 0 AND BAQ-SUCCESS
               MOVE MQRC-NO-MSG-AVAILABLE TO MQMD-FEEDBACK
           END-IF
           EXEC CICS PUT CONTAINER('C') CHANNEL('D') FROM(OUT-AREA)
                CHANNEL('E')
                END-EXEC
       NEXT-ONE.
           PERFORM LAST-ONE.
       LAST-ONE.
           EXEC CICS RETURN END-EXEC
