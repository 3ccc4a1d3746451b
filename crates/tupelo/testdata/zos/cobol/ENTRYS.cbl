      * Two programs of one source; the first has two ENTRY names, of
      * which one looks at the EIB.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ENTRYS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  CALLS                   PIC 9 VALUE 0.
       LINKAGE SECTION.
       01  N                       PIC 9(3).
       01  T                       PIC 9(7).
       PROCEDURE DIVISION USING N.
           DISPLAY 'CALLS ' CALLS
           GOBACK.
       ADD-ENTRY.
           ENTRY 'ENTADD' USING N.
           ADD 1 TO CALLS
           ADD 100 TO N
           GOBACK.
       TASK-ENTRY.
           ENTRY 'enttask' USING T
           MOVE EIBTASKN TO T
           GOBACK.
       END PROGRAM ENTRYS.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ENTLAST.
       DATA DIVISION.
       LINKAGE SECTION.
       01  N                       PIC 9(3).
       PROCEDURE DIVISION USING N.
           MOVE 2 TO N
           GOBACK.
       END PROGRAM ENTLAST.
