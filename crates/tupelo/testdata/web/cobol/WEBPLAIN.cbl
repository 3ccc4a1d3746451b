      * A program that knows nothing of the web: it counts in its COMMAREA.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBPLAIN.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           03  CA-COUNT                PIC 9(4).
           03  CA-TEXT                 PIC X(40).
       PROCEDURE DIVISION.
           ADD EIBCALEN TO CA-COUNT
           EXEC CICS RETURN END-EXEC.
