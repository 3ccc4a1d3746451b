       IDENTIFICATION DIVISION.
       PROGRAM-ID. MAPSPGM.
      * Shows a map, waits for ATTN, and says what ASSIGN has given of
      * the map before and after it was sent.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  MAP-SIZE.
           03  MAP-HT              PIC S9(4) COMP VALUE 0.
           03  MAP-WD              PIC S9(4) COMP VALUE 0.
           03  MAP-LN              PIC S9(4) COMP VALUE 0.
           03  MAP-CL              PIC S9(4) COMP VALUE 0.
       01  RESP-CODE               PIC S9(8) COMP.
       01  RESP2-CODE              PIC S9(8) COMP.
       01  REPLY.
           03  FILLER              PIC X(7) VALUE 'BEFORE '.
           03  R-RESP              PIC ZZ9.
           03  R-RESP2             PIC ZZ9.
           03  FILLER              PIC X(6) VALUE ' SIZE '.
           03  R-HT                PIC ZZ9.
           03  R-WD                PIC ZZ9.
           03  FILLER              PIC X(4) VALUE ' AT '.
           03  R-LN                PIC ZZ9.
           03  R-CL                PIC ZZ9.
           03  FILLER              PIC X(8) VALUE ' SIGNAL '.
           03  R-SIGNAL            PIC ZZ9.
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN MAPHEIGHT(MAP-HT) RESP(RESP-CODE)
               RESP2(RESP2-CODE) END-EXEC
           MOVE RESP-CODE TO R-RESP
           MOVE RESP2-CODE TO R-RESP2
           EXEC CICS SEND MAP('PART') MAPSET('PARTSET') MAPONLY ERASE
           END-EXEC
           EXEC CICS ASSIGN MAPHEIGHT(MAP-HT) MAPWIDTH(MAP-WD)
               MAPLINE(MAP-LN) MAPCOLUMN(MAP-CL) END-EXEC
           MOVE MAP-HT TO R-HT
           MOVE MAP-WD TO R-WD
           MOVE MAP-LN TO R-LN
           MOVE MAP-CL TO R-CL
           EXEC CICS WAIT SIGNAL RESP(RESP-CODE) END-EXEC
           MOVE RESP-CODE TO R-SIGNAL
           EXEC CICS SEND TEXT FROM(REPLY) ERASE FREEKB END-EXEC
           EXEC CICS RETURN END-EXEC.
